#!/bin/sh
# Installs what the tests start, where it is missing and this is root on a Debian system: the servers of test:engines, the browser
# of test:lab, the tool that makes network namespaces, a DNS server, SPIN with the compiler that it needs. Nothing is started. Where it cannot: a failure in continuous
# integration, elsewhere a warning, and the tests count as skipped.
set -eu

missing=
has() { command -v "$1" >/dev/null 2>&1 || [ -x "/usr/sbin/$1" ] || [ -x "/sbin/$1" ]; }
has etcd || missing="$missing etcd-server"
has nats-server || missing="$missing nats-server"
has redis-server || missing="$missing redis-server"
ls /usr/lib/postgresql/*/bin/postgres >/dev/null 2>&1 || has postgres || missing="$missing postgresql"
has "${CHROMIUM:-chromium}" || has chromium-browser || has google-chrome || missing="$missing chromium fonts-dejavu-core"
has mariadbd || missing="$missing mariadb-server"
has spin || missing="$missing spin"
has gcc || missing="$missing gcc libc6-dev"
has systemd-analyze || missing="$missing systemd"
has ip || missing="$missing iproute2"
has dnsmasq || missing="$missing dnsmasq-base"
[ -n "$missing" ] || exit 0

fail() {
  echo "*** missing:$missing: $1 ***" >&2
  [ "${CI:-}" = true ] && exit 1
  exit 0
}
[ "$(id -u)" = 0 ] || fail 'run scripts/ensure-debian.sh as root'
command -v apt-get >/dev/null 2>&1 || fail 'no apt-get here: install them by hand'

# Debian would start each server, on ports that tests do not own.
policy=/usr/sbin/policy-rc.d
made=
if [ ! -e "$policy" ]; then
  printf '#!/bin/sh\nexit 101\n' >"$policy"
  chmod +x "$policy"
  made=1
fi
cleanup() { [ -z "$made" ] || rm -f "$policy"; }
trap cleanup EXIT
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
if ! apt-get install -y --no-install-recommends $missing >/dev/null 2>&1; then
  apt-get update >/dev/null && apt-get install -y --no-install-recommends $missing >/dev/null ||
    fail 'apt-get could not install them'
fi
echo "installed:$missing"
