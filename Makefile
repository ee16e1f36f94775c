# make convert FROM=dir TO=dir PRESET=name   installs missing packages, then converts a folder; renames outputs that
#                                            would have the same name, such as those of a.mp3 and a.wav
# make test                                  runs every test
# make test-slurm                            tests shares of plans with a Slurm on this machine (needs root)
# make stage, then sudo make install         installs the command, plugins, presets, manual page, completions and the
#                                            SDK for plugins under PREFIX=/usr/local; make uninstall removes them
# make deb                                   makes the Debian packages respool and respool-dev in .build/deb
# make bench                                 measures speed and memory as ratios to ffmpeg and other programs, and the costs of
#                                            work on many machines (needs root)
# make storm ROUNDS=1000                    kills batches at random moments and compares what later ones finish; tries
#                                            crash states, damaged ledgers, full disks and faults of replacing (needs root)
# make words lint format asan tsan clean

FROM ?= Tests/Media
TO ?= converted
PRESET ?= web-720p
PREFIX ?= /usr/local
DESTDIR ?=
ROOT = $(DESTDIR)$(PREFIX)

STAGE = .build/stage
DEB ?= .build/deb
ROUNDS ?= 1000

RELEASE = -c release --static-swift-stdlib

.PHONY: convert test test-slurm release stage deb install uninstall bench storm words lint format asan tsan clean

convert: release
	.build/release/respool batch "$(FROM)" --to "$(TO)" --preset "$(PRESET)" --on-collision rename

release:
	@.ci/setup build
	swift build $(RELEASE) --quiet

test:
	@.ci/setup test
	swift build --build-tests
	swift test --skip-build --disable-xctest

# Shares of plans on a Slurm of three nodes on this machine, and the templates for other schedulers; needs root.
test-slurm:
	@.ci/setup slurm
	swift build --product respool
	Tests/Slurm/templates.py
	Tests/Slurm/run.sh .build/debug/respool

# Makes everything that is installed, as the user who builds; `make install` only copies. Symbols are stripped.
# Plugins use the installed libraries of the Swift runtime before those of a toolchain on the machine, which may have
# another version.
stage: release
	rm -rf "$(STAGE)"
	install -d "$(STAGE)/bin" "$(STAGE)/lib/respool" "$(STAGE)/share/respool/presets" \
	  "$(STAGE)/share/doc/respool" "$(STAGE)/share/man/man1" \
	  "$(STAGE)/share/bash-completion/completions" "$(STAGE)/share/zsh/site-functions" \
	  "$(STAGE)/share/fish/vendor_completions.d" "$(STAGE)/lib/systemd/system"
	install -m 755 .build/release/respool "$(STAGE)/bin/respool"
	install -m 644 .build/release/librespool-*.so "$(STAGE)/lib/respool/"
	.ci/runtime .build/release "$(STAGE)/lib/respool"
	strip "$(STAGE)/bin/respool"
	for file in "$(STAGE)"/lib/respool/*.so; do \
	  strip --strip-unneeded "$$file" && patchelf --set-rpath '$$ORIGIN' "$$file" || exit 1; done
	cp -r presets/. "$(STAGE)/share/respool/presets/"
	chmod -R u=rwX,go=rX "$(STAGE)/share/respool/presets"
	install -m 644 LICENSE "$(STAGE)/share/doc/respool/LICENSE"
	install -d "$(STAGE)/share/doc/respool/pages"
	install -m 644 Sources/Respool/Respool.docc/*.md Tests/Benchmarks/FLEET.md \
	  "$(STAGE)/share/doc/respool/pages"
	sed -E 's,\((Sources/Respool/Respool.docc|Tests/Benchmarks)/,(pages/,g' README.md \
	  > "$(STAGE)/share/doc/respool/README.md"
	install -m 644 Plugins/X264/LICENSE "$(STAGE)/share/doc/respool/LICENSE.X264"
	install -m 644 Plugins/X265/LICENSE "$(STAGE)/share/doc/respool/LICENSE.X265"
	.ci/manual .build/release/respool > "$(STAGE)/share/man/man1/respool.1"
	.build/release/respool --generate-completion-script bash > \
	  "$(STAGE)/share/bash-completion/completions/respool"
	.build/release/respool --generate-completion-script zsh > "$(STAGE)/share/zsh/site-functions/_respool"
	.build/release/respool --generate-completion-script fish > \
	  "$(STAGE)/share/fish/vendor_completions.d/respool.fish"
	sed 's|@PREFIX@|$(PREFIX)|' 'Sources/Services/respool-watch@.service' > \
	  "$(STAGE)/lib/systemd/system/respool-watch@.service"
	.ci/sdk "$(STAGE)" "$$(.build/release/respool --version)"
	@echo 'Ready to install: sudo make install' >&2

# Makes the packages respool and respool-dev in DEB. Needs no network.
deb: stage
	.ci/deb "$(STAGE)" "$(DEB)"

# Copies the files of `make stage`. Needs no Swift and writes only to the target folder, so that it works under sudo.
# The command also reads the list of installed files, to name plugins that are missing. Files of an earlier version that
# this one does not have are removed.
install:
	@[ -x "$(STAGE)/bin/respool" ] || { \
	  echo 'Nothing to install yet. First, without sudo: make stage' >&2; exit 1; }
	cd "$(STAGE)" && find . -type f | LC_ALL=C sort | while read -r file; do \
	  mode=644; [ ! -x "$$file" ] || mode=755; \
	  install -D -m "$$mode" "$$file" "$(abspath $(ROOT))/$$file" || exit 1; done
	install -d "$(ROOT)/share/respool"
	cd "$(STAGE)" && find . -type f | LC_ALL=C sort > "$(abspath $(ROOT))/share/respool/installed-files.new"
	cd "$(ROOT)" && list=share/respool/installed-files && if [ -f "$$list" ]; then \
	  LC_ALL=C comm -23 "$$list" "$$list.new" | while read -r file; do rm -f "$$file"; done; fi && mv "$$list.new" "$$list"

# Removes the files that `make install` copied, and folders that are empty afterwards.
uninstall:
	@[ -f "$(ROOT)/share/respool/installed-files" ] || { \
	  echo 'Respool is not installed in $(ROOT).' >&2; exit 1; }
	cd "$(ROOT)" && while read -r file; do rm -f "$$file"; done < share/respool/installed-files
	rm -f "$(ROOT)/share/respool/installed-files"
	cd "$(ROOT)" && for folder in share/respool/template share/respool/sdk share/respool/presets lib/respool \
	  share/respool share/doc/respool include/respool lib/cmake/Respool; do \
	  [ ! -d "$$folder" ] || find "$$folder" -depth -type d -empty -delete; done

bench: release
	@.ci/setup test
	Tests/Benchmarks/run.sh
	Tests/Benchmarks/run.sh fleet

# Each part runs, even if one before it has failed.
storm: release
	@.ci/setup test
	@failed=0; \
	try() { echo "$$*"; "$$@" || failed=1; }; \
	cd Tests/Storm && command=../../.build/release/respool; \
	try ./storm.py $$command --rounds "$(ROUNDS)"; \
	try ./joined.py $$command --rounds "$$(($(ROUNDS) / 5))"; \
	try ./crash_states.py $$command; \
	try ./ledger_damage.py $$command; \
	try ./full_disks.py $$command; \
	try ./replace_faults.py $$command; \
	exit $$failed

words:
	@.ci/words

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
