#!/usr/bin/env bash
# Installs Debian's Chromium for the tests of the lab, unless there is one. Run as root; does nothing twice.
set -euo pipefail

for place in "${CHROMIUM:-}" /usr/bin/chromium /usr/bin/chromium-browser /usr/bin/google-chrome; do
  if [ -n "$place" ] && [ -x "$place" ]; then
    echo "Chromium: $place"
    exit 0
  fi
done
if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
  echo 'There is no Chromium, and it can be installed only by root where there is apt-get.' >&2
  exit 1
fi
export DEBIAN_FRONTEND=noninteractive
apt-get update -q
apt-get install -qy --no-install-recommends chromium fonts-dejavu-core
