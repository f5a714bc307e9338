#!/usr/bin/env bash
# Installs the tool plumb with its manual pages, completions and board files, or removes it again.
#
#     scripts/install.sh stage PROGRAM FOLDER     writes into FOLDER what PROGRAM generates: manual, completions
#     scripts/install.sh install FOLDER           copies the program and those from FOLDER, board files and documents
#     scripts/install.sh uninstall                removes what install has put there, and folders that it created
#
#     PREFIX     the destination: /usr/local by default
#     DESTDIR    prepended to each path, for packagers; the program still belongs in PREFIX
#
# PREFIX/share/plumb/installed lists what was installed, with checksums. The list is written before the first file and
# removed after the last, so either command can be run again after an interruption. A file that is not on the list is
# never replaced, one that was changed since is never removed, and a board file that was changed, as by plumb calibrate,
# is not replaced either. Uses sudo for root rights if needed.
#
# Exit codes: 0 done; 64 wrong usage; 65 the list is damaged; 66 nothing to install, or not installed; 73 the
# destination cannot be written, or another file is in the way.
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
  local page
  # Including the files that the tool reads.
  for page in packaging/*/*.5; do
    bash scripts/manual.sh "$page" "$version" "$date" >"$folder/man/${page##*/}"
  done
  # Only bash and zsh themselves can complete what begins with a tilde or a variable. And no shell knows what follows
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

# as_owner ARGUMENT...: runs this script again with root rights if the destination cannot be written without them.
as_owner() {
  local place=$root
  while [ ! -e "$place" ]; do place=$(dirname "$place"); done
  if [ -w "$place" ]; then return; fi
  [ "$(id -u)" -ne 0 ] || stop 73 "$place cannot be written."
  command -v sudo >/dev/null || stop 73 "$place cannot be written, and there is no sudo."
  echo "install: $root is not yours; sudo may ask for your password"
  exec sudo env PREFIX="$prefix" DESTDIR="$destination" bash scripts/install.sh "$@"
}

# check_list: rejects a list that names anything but files and folders below the root, because it is about to be
# followed.
check_list() {
  local wrong
  wrong=$(grep -nvE '^([0-9a-f]{64}|folder)  [A-Za-z0-9_][A-Za-z0-9_.+-]*(/[A-Za-z0-9_][A-Za-z0-9_.+-]*)*$' "$work/old" |
    head -n 1) || :
  [ -z "$wrong" ] || stop 65 "$root/$manifest, line ${wrong%%:*}: not a checksum and a path below $root: ${wrong#*:}" \
    'Nothing was changed. Remove that line, or the files and the list by hand.'
}

# write_list FILE: replaces the list by FILE, in one step.
write_list() {
  install -m 644 "$1" "$root/$manifest.part"
  mv -f "$root/$manifest.part" "$root/$manifest"
}

# make_folder PATH: creates a folder below the root; records a new one first, so that it can be removed.
make_folder() {
  [ ! -d "$root/$1" ] || return 0
  case $1 in */*) make_folder "${1%/*}" ;; esac
  printf 'folder  %s\n' "$1" >>"$work/new"
  install -d -m 755 "$root/$1"
}

# is_ours PATH: whether the file is an installed one: its checksum is on the list. An interrupted install leaves two for
# a path, that of the old file and that of the new one.
is_ours() {
  local now
  now=$(sha256sum <"$root/$1")
  grep -qxF "${now%% *}  $1" "$work/old"
}

# plan MODE SOURCE PATH: records a file to be installed, and rejects one whose path another file occupies.
plan() {
  local sum
  sum=$(sha256sum <"$2")
  sum=${sum%% *}
  if [ -e "$root/$3" ] || [ -L "$root/$3" ]; then
    if [ ! -f "$root/$3" ]; then
      stop 73 "$root/$3 is in the way: it is not a file." 'Nothing was changed.'
    elif ! grep -qE "^[0-9a-f]{64}  ${3//./\\.}\$" "$work/old" && ! cmp -s "$2" "$root/$3"; then
      stop 73 "$root/$3 is in the way: it was not put there by this command." \
        'Nothing was changed. Move it away, or choose another place: make install PREFIX=/opt/plumb'
    fi
  fi
  printf '%s  %s\n' "$sum" "$3" >>"$work/new"
  printf '%s\t%s\t%s\n' "$1" "$2" "$3" >>"$work/plan"
}

plan_all() {
  local folder=$1 file
  plan 755 "$folder/plumb" bin/plumb
  for file in "$folder"/man/*.[15]; do plan 644 "$file" "share/man/man${file##*.}/${file##*/}"; done
  plan 644 "$folder/completions/plumb.bash" share/bash-completion/completions/plumb
  plan 644 "$folder/completions/_plumb" share/zsh/site-functions/_plumb
  plan 644 "$folder/completions/plumb.fish" share/fish/vendor_completions.d/plumb.fish
  for file in boards/*.ini; do plan 644 "$file" "share/plumb/$file"; done
  # All pages: help, manual and board files refer to many of them, and they refer to each other.
  for file in LICENSE CHANGELOG.md docs/*.md docs/wiring/*.svg; do
    [ -e "$file" ] || continue
    plan 644 "$file" "share/doc/plumb/${file##*/}"
  done
}

# put MODE SOURCE PATH: installs a file in one step, so that a running plumb keeps its file.
put() {
  if [[ $3 = */boards/*.ini && -e $root/$3 ]] && ! is_ours "$3" && ! cmp -s "$2" "$root/$3"; then
    echo "install: $root/$3 was changed here, and is kept"
    return
  fi
  install -m "$1" "$2" "$root/$3.part"
  mv -f "$root/$3.part" "$root/$3"
}

# remove PATH: removes a file unless it was changed since its installation.
remove() {
  rm -f "$root/$1.part"
  [ -e "$root/$1" ] || return 0
  if is_ours "$1"; then
    rm -f "$root/$1"
  else
    echo "install: $root/$1 was changed here, and is kept"
  fi
}

install_all() {
  local folder=$1 mode source path
  if [ ! -x "$folder/plumb" ] || [ ! -d "$folder/man" ]; then stop 66 "$folder holds no plumb: make stage"; fi
  : >"$work/plan"
  plan_all "$folder"
  # From here on an interrupted install can be continued or removed: the list contains everything that exists or will
  # exist.
  make_folder share/plumb
  sort -u "$work/old" "$work/new" >"$work/both"
  write_list "$work/both"
  while IFS=$'\t' read -r mode source path; do
    make_folder "${path%/*}"
    sort -u "$work/old" "$work/new" >"$work/both"
    cmp -s "$work/both" "$root/$manifest" || write_list "$work/both"
    put "$mode" "$source" "$path"
  done <"$work/plan"
  # Removes files of an earlier version that are no longer part of plumb; folders that it created stay on the list.
  awk 'NR == FNR { seen[$2] = 1; next } $1 != "folder" && !($2 in seen) { print $2 }' "$work/new" "$work/old" |
    sort -u | while read -r path; do remove "$path"; done
  { grep '^folder  ' "$work/old" || :; } | cat - "$work/new" | sort -u >"$work/final"
  write_list "$work/final"
  echo "install: $prefix/bin/plumb, its manual, completions for bash, zsh and fish, and board files"
}

uninstall_all() {
  local path
  sed -n '/^folder  /!s/^[0-9a-f]*  //p' "$work/old" | sort -u | while read -r path; do remove "$path"; done
  # Deepest first; the list and its folder last, so that an interrupted removal can be continued.
  sed -n 's/^folder  //p' "$work/old" | sort -r | while read -r path; do
    case $manifest in "$path"/*) continue ;; esac
    rmdir "$root/$path" 2>/dev/null || :
  done
  rm -f "$root/$manifest.part" "$root/$manifest"
  sed -n 's/^folder  //p' "$work/old" | sort -r | while read -r path; do
    case $manifest in "$path"/*) rmdir "$root/$path" 2>/dev/null || : ;; esac
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
    check_list
    "${command}_all" "${@:2}"
    ;;
  *) stop 64 'usage: scripts/install.sh stage PROGRAM FOLDER | install FOLDER | uninstall' ;;
esac
