#!/bin/sh
# System packages that Slipstream uses on Debian and its kin: a BLAS and a compiler for MLX, libraries and fonts for Qt.
# Installs what is missing where it may; elsewhere it says what is missing and leaves the rest to you.
set -eu

PACKAGES="libopenblas0-pthread g++ libegl1 libxkbcommon0 libdbus-1-3 libfontconfig1 fonts-noto-cjk fonts-inter"

[ "$(uname -s)" = Linux ] || exit 0

installed() {
    [ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null || true)" = installed ]
}

if ! command -v dpkg-query >/dev/null 2>&1; then
    echo "Not a Debian system. Slipstream uses the counterparts of these packages: $PACKAGES" >&2
    exit 0
fi

missing=""
for package in $PACKAGES; do
    installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -eq 0 ] && command -v apt-get >/dev/null 2>&1; then
    export DEBIAN_FRONTEND=noninteractive
    # shellcheck disable=SC2086  # a list of names
    if { apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing; } >&2; then
        exit 0
    fi
    echo "These system packages could not be installed:$missing" >&2
else
    echo "These system packages are missing; install them with: sudo apt-get install$missing" >&2
fi
# The program runs without some of them, slower or plainer; 'slipstream doctor' tells what lacks.
exit 0
