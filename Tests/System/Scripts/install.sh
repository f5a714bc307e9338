#!/usr/bin/env bash
# Tests the installed tool: program, manual, completions and board files, installed into a folder and removed again.
#
#     Tests/System/Scripts/install.sh      PLUMB_STAGE=FOLDER: the output of `make stage`, which must not need Swift
#
# Without PLUMB_STAGE it tests build/plumb, which needs the toolchain's libraries; everything else is the same.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

fail() {
  printf 'install: %s\n' "$@" >&2
  exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

stage=${PLUMB_STAGE:-}
if [ -z "$stage" ]; then
  stage=$work/stage
  mkdir "$stage"
  [ -x build/plumb ] || fail 'build/plumb is not there: make build'
  cp build/plumb "$stage/plumb"
  bash scripts/install.sh stage "$stage/plumb" "$stage"
else
  needed=$(readelf -d "$stage/plumb")
  if grep -Ei 'NEEDED.*(swift|foundation|dispatch|blocks)' <<<"$needed"; then fail "$stage/plumb needs Swift."; fi
  # Not through pipes: their writer fails when grep has read enough.
  header=$(readelf -h "$stage/plumb") parts=$(readelf -lW "$stage/plumb") symbols=$(readelf -W --dyn-syms "$stage/plumb")
  grep -qE 'Type: +DYN ' <<<"$header" || fail "$stage/plumb is not position-independent."
  grep -q GNU_RELRO <<<"$parts" || fail "$stage/plumb has tables that can be written to."
  grep -q 'BIND_NOW' <<<"$needed" || fail "$stage/plumb binds functions later."
  grep -q __stack_chk_fail <<<"$symbols" || fail "the C of $stage/plumb has no stack protector."
  [ -z "$(readelf -S "$stage/plumb" | grep -E '\.(symtab|debug_)' || :)" ] || fail "$stage/plumb is not stripped."
fi

# expect CODE COMMAND...: the command must exit with this code; leaves its output in $work/told.
expect() {
  local wanted=$1 code=0
  shift
  "$@" >"$work/told" 2>&1 </dev/null || code=$?
  [ "$code" -eq "$wanted" ] || fail "$* ended with $code, not $wanted:" "$(cat "$work/told")"
}

### Manual pages

"$stage/plumb" --experimental-dump-help >"$work/help.json"
mapfile -t commands < <(python3 -c 'import json, sys
for command in json.load(sys.stdin)["command"]["subcommands"]:
    print(command["commandName"])' <"$work/help.json")
[ "${#commands[@]}" -gt 5 ] || fail 'the program tells too few commands.'

for page in "$stage"/man/*.[15]; do
  told=$(mandoc -T lint -W warning "$page" || :)
  [ -z "$told" ] || fail "mandoc about $page:" "$told"
  for locale in C.UTF-8 C; do
    told=$(LC_ALL=$locale MANWIDTH=80 man --warnings -l "$page" 2>&1 >"$work/text")
    [ -z "$told" ] || fail "man about $page:" "$told"
    LC_ALL=C.UTF-8 col -bx <"$work/text" >"$work/$(basename "$page").$locale"
    told=$(LC_ALL=C.UTF-8 grep -E '^.{81}' "$work/$(basename "$page").$locale" || :)
    [ -z "$told" ] || fail "$page is wider than 80 columns:" "$told"
  done
  lexgrog "$page" >/dev/null || fail "$page has no NAME that whatis understands."
done
for command in "${commands[@]}"; do
  [ "$command" != help ] || continue
  text=$work/plumb-$command.1.C.UTF-8
  [ -s "$text" ] || fail "there is no page of plumb $command."
  grep -q "plumb-$command(1)" "$work/plumb.1.C.UTF-8" || fail "plumb.1 does not name plumb-$command."
  for section in NAME SYNOPSIS DESCRIPTION OPTIONS EXAMPLES 'EXIT STATUS' 'SEE ALSO'; do
    grep -qx "$section" "$text" || fail "plumb-$command.1 has no $section."
  done
  for option in $("$stage/plumb" "$command" --help | grep -oE '^ +(-[a-z], )?--[a-z-]+' | grep -oE -e '--[a-z-]+'); do
    grep -qE -- "^ +(-[a-z], )?$option( |$)" "$text" || fail "plumb-$command.1 does not tell $option."
  done
done
# The environment variables that the sources read.
grep -rhoE 'variable\("[A-Z_]+"\)' Sources/Programs/plumb | sed 's/.*"\(.*\)".*/\1/' | sort -u >"$work/variables"
while read -r name; do
  # These are standard variables, not settings of plumb.
  case $name in HOME | USER) continue ;; esac
  grep -qE "(^| )$name(,|  |$)" "$work/plumb.1.C.UTF-8" || fail "plumb.1 does not tell of the variable $name."
done <"$work/variables"

### Installed, and used from elsewhere with a clean environment

export PREFIX=/usr/local DESTDIR=$work/root
place=$DESTDIR$PREFIX
install() { expect 0 bash scripts/install.sh install "$stage"; }
plumb() { expect 0 env -C / -i PATH=/usr/bin:/bin "$place/bin/plumb" "$@"; }

expect 66 bash scripts/install.sh uninstall
expect 64 env PREFIX=here bash scripts/install.sh install "$stage"
expect 66 bash scripts/install.sh install "$work"
install
plumb --version
plumb run --speed fast --board emulated-mpu6050
plumb boards
grep -qF "$place/share/plumb/boards: " "$work/told" || fail 'plumb boards does not look where boards were installed.'
for board in boards/*.ini; do
  grep -qx "$(basename "$board" .ini)" "$work/told" || fail "plumb boards does not list $board."
done
for file in man/man1/plumb.1 man/man1/plumb-run.1 man/man5/plumb-board.ini.5 man/man5/plumb-mqtt.ini.5 \
  doc/plumb/LICENSE; do
  [ -s "$place/share/$file" ] || fail "$file is not installed."
done
named=$(grep -rhoE 'docs/[a-z-]+\.md' boards Sources/Programs/plumb packaging/plumb | sort -u)
grep -qx 'docs/on.md' <<<"$named" || fail 'no page is named by help and board files.'
for file in $named; do
  [ -s "$place/share/doc/plumb/${file#docs/}" ] || fail "$file, which help, manual or board files name, is not installed."
done
[ "$(MANPATH=$place/share/man man -w plumb-run)" = "$place/share/man/man1/plumb-run.1" ] || fail 'man finds no page.'

bash -n "$place/share/bash-completion/completions/plumb"
zsh -n "$place/share/zsh/site-functions/_plumb"
fish --no-execute "$place/share/fish/vendor_completions.d/plumb.fish"
python3 -B Tests/System/Install/completions.py "$place"

### Installed again, over a file that was changed; then removed

board=$place/share/plumb/boards/raspberry-pi-adxl345.ini
echo '# mine' >>"$board"
echo 'gone' >"$place/share/man/man1/plumb-former.1"
printf '%s  share/man/man1/plumb-former.1\n' "$(echo gone | sha256sum | cut -d' ' -f1)" >>"$place/share/plumb/installed"
install
grep -qF "$board was changed here, and is kept" "$work/told" || fail 'nothing was said of a changed board file.'
grep -qx '# mine' "$board" || fail 'a changed board file was replaced.'
[ ! -e "$place/share/man/man1/plumb-former.1" ] || fail 'a page of a former version was left.'
expect 0 bash scripts/install.sh uninstall
left=$(find "$DESTDIR" -type f)
[ "$left" = "$board" ] || fail 'uninstall left more than the changed board file:' "$left"
rm -r "$place/share"
mkdir -p "$place/share/man/man1"
install
expect 0 bash scripts/install.sh uninstall
left=$(find "$place" -mindepth 1)
[ "$left" = "$place/share
$place/share/man
$place/share/man/man1" ] || fail 'uninstall left more, or less, than was there before:' "$left"
### Files of others, changed files, and everything that a damaged list names must stay

rm -r "$place"
mkdir -p "$place/bin"
echo 'another plumb' >"$place/bin/plumb"
expect 73 bash scripts/install.sh install "$stage"
grep -qF "$place/bin/plumb is in the way" "$work/told" || fail 'nothing was said of the other plumb.'
left=$(find "$place" -type f)
{ [ "$left" = "$place/bin/plumb" ] && grep -qx 'another plumb' "$left"; } || fail 'the other plumb was touched:' "$left"
rm "$place/bin/plumb"
install
echo 'changed' >>"$place/share/doc/plumb/LICENSE"
cp "$place/share/plumb/installed" "$work/list"
echo 'precious' >"$work/root/precious"
for line in "$(printf '%064d' 0)  ../precious" "$(printf '%064d' 0)  bin/../../../precious" 'folder  ..' \
  "$(sha256sum <"$work/root/precious" | cut -d' ' -f1)  ../../precious" "$(printf '%064d' 0)  /etc/hostname" 'nonsense'; do
  { cat "$work/list"; printf '%s\n' "$line"; } >"$place/share/plumb/installed"
  expect 65 bash scripts/install.sh uninstall
  expect 65 bash scripts/install.sh install "$stage"
  { [ -e "$work/root/precious" ] && [ -x "$place/bin/plumb" ]; } || fail "a damaged list was obeyed: $line"
done
cp "$work/list" "$place/share/plumb/installed"
expect 0 bash scripts/install.sh uninstall
left=$(find "$place" -type f)
[ "$left" = "$place/share/doc/plumb/LICENSE" ] || fail 'uninstall left more, or less, than the changed file:' "$left"

### Interrupted after any step, both commands can be run again

rm -r "$place"
mkdir "$work/bin"
for tool in install mv rm rmdir; do
  cat >"$work/bin/$tool" <<EOF
#!/bin/sh
# Dies, and its parent with it, at the step that \$PLUMB_STEP counts down to.
left=\$((\$(cat "$work/left") - 1))
echo "\$left" >"$work/left"
[ "\$left" -ne 0 ] || { kill -9 "\$PPID"; exit 1; }
exec "$(command -v "$tool")" "\$@"
EOF
  chmod +x "$work/bin/$tool"
done
interrupted() {
  echo "$1" >"$work/left"
  shift
  (PATH=$work/bin:$PATH bash scripts/install.sh "$@" </dev/null) >/dev/null 2>&1 || :
}
steps=(1 2 4 7 15 45 80)
# `make test` and `make test-install` both run this: once is enough.
[ -z "${PLUMB_STAGE:-}" ] || steps=()
for step in "${steps[@]}"; do
  interrupted "$step" install "$stage"
  interrupted "$step" install "$stage"
  install
  [ -x "$place/bin/plumb" ] || fail "install was not continued after step $step."
  interrupted "$step" uninstall
  if [ -e "$place/share/plumb/installed" ]; then expect 0 bash scripts/install.sh uninstall; fi
  left=$(find "$DESTDIR$PREFIX" -mindepth 1 2>/dev/null | head -n 3 || :)
  [ -z "$left" ] || fail "uninstall was not continued after step $step:" "$left"
  interrupted "$step" install "$stage"
  if [ -e "$place/share/plumb/installed" ]; then expect 0 bash scripts/install.sh uninstall; fi
  left=$(find "$DESTDIR$PREFIX" -type f | head -n 3 || :)
  [ -z "$left" ] || fail "what was installed by step $step was not removed:" "$left"
done
echo 'install: program, manual, completions and board files are in place, and were removed again'
