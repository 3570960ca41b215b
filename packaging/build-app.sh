#!/bin/sh
# Builds the application: dist/Slipstream.app and a .dmg on a Mac, the folder dist/Slipstream on Linux.
#
#   sh packaging/build-app.sh             signed ad hoc on a Mac: it runs, after a click in System Settings
#   SLIPSTREAM_IDENTITY="Developer ID Application: Name (TEAM)" sh packaging/build-app.sh       signed with that identity
#   SLIPSTREAM_NOTARY_PROFILE=name        and notarised: a profile stored with `xcrun notarytool store-credentials name`
#
# Everything it needs is installed into .venv-app from requirements.lock and packaging/requirements-build.txt.
set -eu
cd "$(dirname "$0")/.."

SYSTEM=$(uname -s)
VENV=.venv-app
PYTHON=$VENV/bin/python
IDENTITY=${SLIPSTREAM_IDENTITY:-}
NOTARY_PROFILE=${SLIPSTREAM_NOTARY_PROFILE:-}
export PYTHONPATH="packaging:."
export PYINSTALLER_STRICT_BUNDLE_CODESIGN_ERROR=1 PYINSTALLER_VERIFY_BUNDLE_SIGNATURE=1

say() { printf '\n== %s\n' "$*"; }
refuse() { echo "$*" >&2; exit 1; }
pip() { "$PYTHON" -m pip --disable-pip-version-check "$@"; }

case "$SYSTEM" in
    Darwin) [ "$(uname -m)" = arm64 ] || refuse "The application is built on a Mac with Apple Silicon: MLX has no other build." ;;
    Linux) sh packaging/linux-setup.sh ;;
    *) refuse "The application is built on macOS or Linux, not on $SYSTEM." ;;
esac
[ -z "$NOTARY_PROFILE" ] || [ -n "$IDENTITY" ] || refuse "Only what is signed can be notarised: set SLIPSTREAM_IDENTITY as well."

say "An environment with what is locked, and nothing else"
if ! cat requirements.lock packaging/requirements-build.txt | cmp -s - "$VENV/installed"; then
    base=$(sh packaging/find-python.sh ${BUILD_PYTHON:-python3.12 python3.13 python3.11 python3})
    "$base" -m venv --clear "$VENV"
    pip install --quiet --require-hashes -r packaging/requirements-build.txt
    if [ "$SYSTEM" = Darwin ]; then
        # A newer macOS would take wheels whose Metal kernels older ones can't load: ask for those of macOS 14.
        rm -rf build/wheels
        "$PYTHON" packaging/bundle/wheels.py fetch build/wheels
        "$PYTHON" packaging/bundle/wheels.py check build/wheels
        pip install --quiet --no-index --no-deps build/wheels/*.whl
    else
        pip install --quiet --require-hashes --no-deps -r requirements.lock
    fi
    cat requirements.lock packaging/requirements-build.txt > "$VENV/installed"
fi

say "Version"
"$PYTHON" packaging/bundle/release.py ${IDENTITY:+--release}
VERSION=$("$PYTHON" -c "import engine; print(engine.__version__)")

say "The embedded model, converted"
SLIPSTREAM_HOME=build/app-home "$PYTHON" -m engine.models.demo
export SLIPSTREAM_MODELS="$PWD/build/app-home/cache/models"

say "The icon"
QT_QPA_PLATFORM=offscreen "$PYTHON" packaging/bundle/icon.py build/icon
export SLIPSTREAM_ICON="$PWD/build/icon/Slipstream.icns"

say "The bundle"
rm -rf dist/Slipstream dist/Slipstream.app
"$PYTHON" -m PyInstaller --noconfirm --log-level WARN --distpath dist --workpath build/app packaging/slipstream.spec

if [ "$SYSTEM" = Linux ]; then
    "$PYTHON" packaging/bundle/check.py dist/Slipstream
    exit 0
fi

APP=dist/Slipstream.app
DMG=dist/Slipstream-$VERSION-arm64.dmg
rm -rf dist/Slipstream
"$PYTHON" packaging/bundle/check.py "$APP"
codesign --verify --deep --strict "$APP"

say "The disk image"
rm -rf build/dmg "$DMG"
mkdir -p build/dmg
ditto "$APP" build/dmg/Slipstream.app
ln -s /Applications build/dmg/Applications
hdiutil create -quiet -volname "Slipstream $VERSION" -srcfolder build/dmg -format ULFO -fs APFS "$DMG"

if [ -n "$IDENTITY" ]; then
    codesign --sign "$IDENTITY" --timestamp "$DMG"
fi
if [ -n "$NOTARY_PROFILE" ]; then
    say "Notarisation: Apple takes some minutes"
    xcrun notarytool submit "$DMG" --keychain-profile "$NOTARY_PROFILE" --wait
    xcrun stapler staple "$DMG"
    xcrun stapler validate "$DMG"
fi

say "Done: $APP and $DMG"
[ -n "$IDENTITY" ] || echo "Signed ad hoc. On another Mac: open it, then System Settings > Privacy & Security > Open Anyway."
