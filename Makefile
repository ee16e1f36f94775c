# make convert FROM=dir TO=dir PRESET=name   converts a folder, keeping a.mp3 and a.wav apart; installs what it needs first
# make test                                  runs every test
# make install PREFIX=/usr/local             installs the command, plugins, presets and completions
# make bench                                 compares with ffmpeg and others, as ratios
# make lint format asan tsan clean

FROM ?= Tests/Media
TO ?= converted
PRESET ?= web-720p
PREFIX ?= /usr/local
DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)

RELEASE = -c release --static-swift-stdlib

.PHONY: convert test release install bench lint format asan tsan clean

convert: release
	.build/release/respool batch "$(FROM)" --to "$(TO)" --preset "$(PRESET)" --on-collision rename

release:
	@.ci/setup build
	swift build $(RELEASE) --quiet

test:
	@.ci/setup test
	swift build --build-tests
	swift test --skip-build --disable-xctest

# What of Swift's runtime the plugins need comes along, so that the machine that it goes to needs no Swift.
install: release
	install -d "$(ROOT)/bin" "$(ROOT)/lib/respool" "$(ROOT)/share/respool/presets" \
	  "$(ROOT)/share/respool/template" \
	  "$(ROOT)/share/doc/respool" "$(ROOT)/share/bash-completion/completions" \
	  "$(ROOT)/share/zsh/site-functions" "$(ROOT)/share/fish/vendor_completions.d"
	install -m 755 .build/release/respool "$(ROOT)/bin/respool"
	install -m 644 .build/release/librespool-*.so "$(ROOT)/lib/respool/"
	install -m 644 $$(ldd .build/release/librespool-*.so | awk '$$3 ~ "/swift/linux/" { print $$3 }' | sort -u) \
	  "$(ROOT)/lib/respool/"
	install -m 644 presets/*.yaml presets/schema.json "$(ROOT)/share/respool/presets/"
	cd Plugins/Template && for file in $$(git ls-files . 2>/dev/null || find . -type f); do \
	  install -D -m 644 "$$file" "$(abspath $(ROOT))/share/respool/template/$$file"; done
	install -m 644 LICENSE "$(ROOT)/share/doc/respool/LICENSE"
	install -m 644 Plugins/X264/LICENSE "$(ROOT)/share/doc/respool/LICENSE.X264"
	.build/release/respool --generate-completion-script bash > \
	  "$(ROOT)/share/bash-completion/completions/respool"
	.build/release/respool --generate-completion-script zsh > "$(ROOT)/share/zsh/site-functions/_respool"
	.build/release/respool --generate-completion-script fish > \
	  "$(ROOT)/share/fish/vendor_completions.d/respool.fish"

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
