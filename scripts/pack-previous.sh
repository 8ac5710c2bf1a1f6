#!/bin/sh
# Packs the JavaScript of a commit as the previous release, against which test/processes/upgrade.test.ts runs the present code: run
# `sh scripts/pack-previous.sh COMMIT` at a release. Without maps, types, lab and experiments: that keeps it small.
set -eu
commit=$(git rev-parse --short "${1:?which commit?}")
root=$(git rev-parse --show-toplevel)
build=$(mktemp -d)
trap 'rm -rf "$build"' EXIT
git -C "$root" archive "$commit" | tar xf - -C "$build"
ln -s "$root/node_modules" "$build/node_modules"
(cd "$build" && npx tsc -b tsconfig.json)
mkdir -p "$root/test/fixtures"
tar cf - -C "$build" --sort=name --owner=0 --group=0 --mtime=@0 --exclude='*.map' --exclude='*.d.ts' --exclude='*.tsbuildinfo' \
  --exclude=dist/lab --exclude=dist/experiments bin dist package.json | gzip -9n >"$root/test/fixtures/previous-release.tgz"
echo "packed $commit: $(wc -c <"$root/test/fixtures/previous-release.tgz") bytes"
