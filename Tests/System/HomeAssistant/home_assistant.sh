#!/usr/bin/env bash
# Checks what a real Home Assistant makes of `plumb publish`: Tests/System/HomeAssistant.
#
#     Tests/System/HomeAssistant/home_assistant.sh [NAME]...      (as root; NAME: such as test_failures.LostBroker)
#
#     PLUMB                  the program under test; build/plumb by default
#     PLUMB_CACHE            the cache; ${XDG_CACHE_HOME:-$HOME/.cache}/plumb by default
#     PLUMB_DEBIAN_MIRROR    the source of Debian; by default the mirror of this machine (scripts/mirror.sh)
#
# Home Assistant needs a newer Python than most Debians have, so it runs in its own Debian 13 with the packages of
# requirements.txt. That root is made once (two minutes, 1 GB) and stays in the cache until requirements.txt changes.
# Each class of tests runs in its own mount namespace and an otherwise empty network: Home Assistant reaches nothing
# outside, its ports are free, and the root is unchanged afterwards. The classes can therefore run in parallel.
#
# Exit codes: 0 success; 1 a test failed; 69 something that it needs is missing.
set -euo pipefail
export LC_ALL=C.UTF-8
cd "$(dirname "$0")/../../.."

stop() {
  printf 'home-assistant: %s\n' "$@" >&2
  exit 69
}
[ "$(id -u)" -eq 0 ] || stop 'this needs root rights: a root of another system is entered with chroot.'
PLUMB=$(realpath "${PLUMB:-build/plumb}")
export PLUMB
[ -x "$PLUMB" ] || stop "$PLUMB is not there: make build"
# mosquitto is unpacked here (scripts/setup.sh); Debian has ip only on root's PATH.
export PATH=$PWD/build/mosquitto/usr/sbin:$PATH:/usr/sbin:/sbin
for tool in mmdebstrap unshare ip mosquitto mosquitto_sub python3; do
  command -v "$tool" >/dev/null || stop "$tool is missing; run make setup-test-home-assistant."
done

tests=Tests/System/HomeAssistant
requirements=$tests/requirements.txt
cache=${PLUMB_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/plumb}
root=$cache/home-assistant

# A mount namespace, so that mounts vanish however the script ends; and a network with only lo.
if [ -z "${PLUMB_INSIDE:-}" ]; then
  PLUMB_INSIDE=making unshare --mount --propagation private bash "$0"
  if [ $# -eq 0 ]; then
    # The slowest begin first.
    set -- test_failures.SlowWill test_recipes.{Caravan,WashingMachine} \
      test_failures.{LostOwner,LostPublisher,RestartOfHomeAssistant,LostBroker} test_device.With{,out}Gyroscope \
      test_judge.Judge
  fi
  # Collects the output of the runs for the total.
  printed=$(mktemp)
  trap 'rm -f "$printed"' EXIT
  PLUMB_INSIDE=testing python3 -B Tests/Support/Python/side_by_side.py "$@" -- \
    unshare --mount --net --propagation private bash "$0" 2>&1 | tee "$printed"
  awk -v version="$(sed -n 's/^homeassistant==//p' "$requirements")" -v seconds="$SECONDS" '
    /^Ran [0-9]+ tests? in / { sum += $2 }
    END { printf "home-assistant: %d checks hold in Home Assistant %s, after %d s\n", sum, version, seconds }' "$printed"
  exit
fi

# make_root: makes $root from Debian's and PyPI's packages.
make_root() {
  local new suite=trixie variable
  mkdir -p "$cache"
  new=$(mktemp -d "$cache/home-assistant.XXXXXX")
  # Expand the variables now; the second is the folder.
  # shellcheck disable=SC2064
  trap "umount -l '$new/root/proc' '$new/root/dev' 2>/dev/null || :; rm -rf --one-file-system '$new'" EXIT
  printf 'home-assistant: making a Debian %s with Home Assistant (two minutes or more, 1 GB): %s\n' "$suite" "$root"
  mmdebstrap --mode=root --variant=minbase --include=python3-venv,ca-certificates \
    --keyring=/usr/share/keyrings/debian-archive-keyring.gpg "$suite" "$new/root" "$(sh scripts/mirror.sh)" \
    >"$new/log" 2>&1 || {
    tail -n 15 "$new/log" >&2
    stop "a Debian $suite could not be made."
  }
  # pip in the root reaches PyPI as pip outside does.
  cp /etc/resolv.conf "$new/root/etc/resolv.conf"
  cp /etc/ssl/certs/ca-certificates.crt "$new/root/etc/ssl/certs/ca-certificates.crt"
  [ ! -f /etc/pip.conf ] || cp /etc/pip.conf "$new/root/etc/pip.conf"
  local settings=()
  for variable in PIP_CERT PIP_INDEX_URL PIP_EXTRA_INDEX_URL PIP_PROXY PIP_TRUSTED_HOST http_proxy https_proxy no_proxy; do
    [ -z "${!variable:-}" ] || settings+=("$variable=${!variable}")
  done
  cp "$requirements" "$new/root/requirements.txt"
  mount -t proc proc "$new/root/proc"
  mount --rbind /dev "$new/root/dev"
  mount --make-rslave "$new/root/dev"
  chroot "$new/root" env -i PATH=/usr/bin:/bin HOME=/root LC_ALL=C.UTF-8 "${settings[@]}" sh -e -c '
    python3 -m venv /opt/home-assistant
    /opt/home-assistant/bin/pip install -q --disable-pip-version-check --retries 2 --no-cache-dir --no-deps \
      --require-hashes --only-binary :all: -r /requirements.txt' >"$new/log" 2>&1 || {
    tail -n 15 "$new/log" >&2
    stop 'Home Assistant could not be installed: is PyPI in reach?'
  }
  umount -l "$new/root/proc" "$new/root/dev"
  rm -rf "$root"
  mv "$new/root" "$root"
}

case $PLUMB_INSIDE in
  making)
    cmp -s "$requirements" "$root/requirements.txt" || make_root
    ;;
  testing)
    # Home Assistant wants to contact its neighbours: there are none.
    ip link set lo up
    ip route add 224.0.0.0/4 dev lo
    work=$(mktemp -d)
    trap 'rm -rf --one-file-system "$work"' EXIT
    trap 'exit 130' INT TERM
    mount --bind "$root" "$root"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    mount -t tmpfs tmpfs "$root/tmp"
    # The same paths inside and outside.
    mount -t tmpfs tmpfs "$root/mnt"
    mkdir "$root/mnt/work" "$root/mnt/tests"
    mount --bind "$work" "$root/mnt/work"
    mount --bind "$tests" "$root/mnt/tests"
    mount -o remount,bind,ro "$root"
    unset PLUMB_INSIDE
    cd "$tests"
    TMPDIR=$work HOME_ASSISTANT_ROOT=$root python3 -B -W error -m unittest -v "$@"
    ;;
esac
