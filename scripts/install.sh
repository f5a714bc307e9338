#!/usr/bin/env bash
# Installs the tool plumb with its manual pages, completions and board files, or removes it again.
#
#     scripts/install.sh stage PROGRAM FOLDER     writes into FOLDER what PROGRAM tells of itself: manual, completions
#     scripts/install.sh install FOLDER           copies the program and those from FOLDER, board files and documents
#     scripts/install.sh uninstall                removes what install has put there, and folders that it has made
#
#     PREFIX     where to: /usr/local by default
#     DESTDIR    put before each place, for packagers; the program then still belongs below PREFIX
#
# What was installed, with its checksums, is listed in PREFIX/share/plumb/installed. A board file that was changed
# since, as by plumb calibrate, is neither replaced nor removed. Root rights are asked for by sudo, if needed.
#
# Exit codes: 0 done; 64 wrong usage; 66 nothing to install, or not installed; 73 it cannot be written there.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/.."

prefix=${PREFIX:-/usr/local} destination=${DESTDIR:-}
manifest=share/plumb/installed

stop() {
  local code=$1
  shift
  printf 'install: %s\n' "$@" >&2
  exit "$code"
}

case $prefix in /*) ;; *) stop 64 "PREFIX must begin with a slash, not \"$prefix\"." ;; esac
root=$destination${prefix%/}

stage() {
  local program=$1 folder=$2 date epoch=${SOURCE_DATE_EPOCH:-}
  [ -x "$program" ] || stop 66 "$program is not there: make build"
  [ -n "$epoch" ] || epoch=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CHANGELOG.md)
  date=$(date -u -d "@$epoch" +%Y-%m-%d)
  local version
  version=$("$program" --version)
  rm -rf "$folder/man" "$folder/completions"
  mkdir -p "$folder/completions"
  python3 -B scripts/man.py "$program" "$folder/man" "$version" "$date"
  sed -e "s|@VERSION@|$version|g" -e "s|@DATE@|$date|g" packaging/plumb-board.ini.5 >"$folder/man/plumb-board.ini.5"
  # What begins with a tilde or a variable only bash and zsh themselves can complete. And no shell is told what follows on
  # `plumb help`: the names of the commands.
  local commands
  # shellcheck disable=SC2016
  commands=$("$program" --generate-completion-script bash |
    sed -n '/case "${subcommand}" in/ { n; s/|/ /g; s/^ *//; s/ *help)$//; p }')
  # shellcheck disable=SC2016  # for the shells that the scripts are for
  "$program" --generate-completion-script bash |
    sed -e '/^__plumb_add_completions() {$/a\    case ${1}${cur} in -W[~$]*) set -- -o plusdirs -fX "!*.@(ini)" ;; esac' \
      -e "/^_plumb_help() {\$/,/^}\$/s/^}\$/    [[ \${cur} = -* ]] || COMPREPLY+=(\$(compgen -W '$commands' -- \"\${cur}\"))\n}/" \
      >"$folder/completions/plumb.bash"
  # shellcheck disable=SC2016
  "$program" --generate-completion-script zsh |
    sed -e 's/{__plumb_custom_complete /{[[ "${PREFIX}" = [~$]* ]] \&\& _files -g "*.ini" || __plumb_custom_complete /' \
      -e "s/'\*:subcommands:'/'1:command:($commands)'/" \
      >"$folder/completions/_plumb"
  "$program" --generate-completion-script fish |
    sed "/ \"plumb\" -eq 1' -fa 'help'/! { / \"plumb\" -eq 1' -fa / { p; s/\"plumb\"/\"plumb help\"/ } }" \
      >"$folder/completions/plumb.fish"
}

# as_owner ARGUMENT...: runs this script again with root rights where the place cannot be written without.
as_owner() {
  local place=$root
  while [ ! -e "$place" ]; do place=$(dirname "$place"); done
  if [ -w "$place" ]; then return; fi
  [ "$(id -u)" -ne 0 ] || stop 73 "$place cannot be written."
  command -v sudo >/dev/null || stop 73 "$place cannot be written, and there is no sudo."
  echo "install: $root is not yours; sudo may ask for your password"
  exec sudo env PREFIX="$prefix" DESTDIR="$destination" bash scripts/install.sh "$@"
}

# make_folder PATH: makes a folder below the root, and notes each that was not there.
make_folder() {
  [ ! -d "$root/$1" ] || return 0
  case $1 in */*) make_folder "${1%/*}" ;; esac
  install -d -m 755 "$root/$1"
  printf 'folder  %s\n' "$1" >>"$work/new"
}

# is_changed PATH: whether an installed file is another than the one that was put there.
is_changed() {
  local noted now
  now=$(sha256sum <"$root/$1")
  noted=$(awk -v path="$1" '$2 == path { print $1 }' "$work/old")
  [ "${now%% *}" != "$noted" ]
}

# put MODE SOURCE PATH
put() {
  local mode=$1 source=$2 path=$3 sum
  make_folder "${path%/*}"
  sum=$(sha256sum <"$source")
  if [[ $path = */boards/*.ini && -e $root/$path ]] && is_changed "$path" && ! cmp -s "$source" "$root/$path"; then
    echo "install: $root/$path was changed here, and is kept"
    awk -v path="$path" '$2 == path' "$work/old" >>"$work/new"
    return
  fi
  # Moved into place, so that a plumb at work keeps its file.
  install -m "$mode" "$source" "$root/$path.part"
  mv -f "$root/$path.part" "$root/$path"
  printf '%s  %s\n' "${sum%% *}" "$path" >>"$work/new"
}

install_all() {
  local folder=$1 file
  if [ ! -x "$folder/plumb" ] || [ ! -d "$folder/man" ]; then stop 66 "$folder holds no plumb: make stage"; fi
  make_folder share/plumb
  put 755 "$folder/plumb" bin/plumb
  for file in "$folder"/man/*.[15]; do put 644 "$file" "share/man/man${file##*.}/${file##*/}"; done
  put 644 "$folder/completions/plumb.bash" share/bash-completion/completions/plumb
  put 644 "$folder/completions/_plumb" share/zsh/site-functions/_plumb
  put 644 "$folder/completions/plumb.fish" share/fish/vendor_completions.d/plumb.fish
  for file in boards/*.ini; do put 644 "$file" "share/plumb/$file"; done
  for file in LICENSE CHANGELOG.md docs/output.md docs/serve.md docs/wiring/*.svg; do
    [ -e "$file" ] || continue
    put 644 "$file" "share/doc/plumb/${file##*/}"
  done
  # Folders that an earlier install has made stay noted; its files that are no longer part of plumb go.
  awk 'NR == FNR { seen[$2] = 1; next } !($2 in seen)' "$work/new" "$work/old" >"$work/gone"
  awk '$1 != "folder" { print $2 }' "$work/gone" | while read -r file; do rm -f "$root/$file"; done
  sed -n '/^folder /p' "$work/gone" >>"$work/new"
  install -m 644 "$work/new" "$root/$manifest"
  echo "install: $prefix/bin/plumb, its manual, completions for bash, zsh and fish, and board files"
}

uninstall_all() {
  local sum path
  while read -r sum path; do
    if [ "$sum" = folder ] || [ ! -e "$root/$path" ]; then
      continue
    elif [[ $path = */boards/*.ini ]] && is_changed "$path"; then
      echo "install: $root/$path was changed here, and is kept"
    else
      rm -f "$root/$path"
    fi
  done <"$work/old"
  rm -f "$root/$manifest"
  # The deepest first.
  sed -n 's/^folder  //p' "$work/old" | LC_ALL=C sort -r | while read -r path; do
    rmdir "$root/$path" 2>/dev/null || :
  done
  echo "install: plumb is removed from $prefix"
}

command=${1:-}
case $command/$# in
  stage/3) stage "$2" "$3" ;;
  install/2 | uninstall/1)
    if [ "$command" = uninstall ] && [ ! -e "$root/$manifest" ]; then
      stop 66 "$root/$manifest is not there: nothing was installed there by make install."
    fi
    as_owner "$@"
    umask 022
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    trap 'exit 130' INT TERM
    : >"$work/new"
    if [ -e "$root/$manifest" ]; then cp "$root/$manifest" "$work/old"; else : >"$work/old"; fi
    "${command}_all" "${@:2}"
    ;;
  *) stop 64 'usage: scripts/install.sh stage PROGRAM FOLDER | install FOLDER | uninstall' ;;
esac
