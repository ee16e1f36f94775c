# make convert FROM=dir TO=dir PRESET=name   converts a folder; installs what it needs first
# make test                                  runs every test
# make install PREFIX=/usr/local             installs the command, the plugins and the presets
# make bench                                 compares with ffmpeg and others, as ratios
# make lint format asan tsan clean

FROM ?= Tests/Media
TO ?= converted
PRESET ?= web-720p
PREFIX ?= /usr/local
DESTDIR ?=

RELEASE = -c release --static-swift-stdlib

.PHONY: convert test release install bench lint format asan tsan clean

convert: release
	.build/release/respool batch "$(FROM)" --to "$(TO)" --preset "$(PRESET)"

release:
	@.ci/setup build
	swift build $(RELEASE) --quiet

test:
	@.ci/setup test
	swift build --build-tests
	swift test --skip-build --disable-xctest

# The runtime that the plugins need comes along, so that the target needs no Swift.
install: release
	install -d "$(DESTDIR)$(PREFIX)/bin" "$(DESTDIR)$(PREFIX)/lib/respool" \
	  "$(DESTDIR)$(PREFIX)/share/respool/presets"
	install -m 755 .build/release/respool "$(DESTDIR)$(PREFIX)/bin/respool"
	install -m 644 .build/release/librespool-*.so "$(DESTDIR)$(PREFIX)/lib/respool/"
	install -m 644 "$$(dirname "$$(command -v swift)")"/../lib/swift/linux/lib*.so \
	  "$(DESTDIR)$(PREFIX)/lib/respool/"
	install -m 644 presets/*.yaml presets/schema.json "$(DESTDIR)$(PREFIX)/share/respool/presets/"

bench: release
	@.ci/setup test
	Tests/Benchmarks/run.sh

lint:
	swift format lint --strict --recursive Package.swift Sources Plugins Tests

format:
	swift format --in-place --recursive Package.swift Sources Plugins Tests

asan:
	RESPOOL_SANITIZE=1 SWIFT_BACKTRACE=enable=no swift test --disable-xctest --sanitize=address \
	  --scratch-path .build/asan

tsan:
	RESPOOL_SANITIZE=1 SWIFT_BACKTRACE=enable=no swift test --disable-xctest --sanitize=thread \
	  --scratch-path .build/tsan -Xlinker --export-dynamic

clean:
	rm -rf .build converted
