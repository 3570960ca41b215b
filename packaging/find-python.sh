#!/bin/sh
# Prints the first Python that Slipstream runs on: 3.11 to 3.13 with venv, built for arm64 on a Mac. Candidates are the arguments.
set -eu

CHECK='
import platform, sys, ensurepip, venv
right_chip = sys.platform != "darwin" or platform.machine() == "arm64"
sys.exit(not ((3, 11) <= sys.version_info[:2] <= (3, 13) and right_chip))
'

for candidate in "$@"; do
    if [ -n "$candidate" ] && "$candidate" -c "$CHECK" >/dev/null 2>&1; then
        echo "$candidate"
        exit 0
    fi
done
echo "No usable Python found: install Python 3.11, 3.12 or 3.13 (for arm64 on a Mac), or name one: make setup PYTHON=/path/to/python3.12" >&2
exit 1
