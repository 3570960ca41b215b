"""Info.plist of the application: what macOS knows of it before it runs.

``info`` is pure; the spec hands its result to PyInstaller, which adds the executable's and the icon's names.
"""

from __future__ import annotations

from typing import Any

NAME = "Slipstream"
IDENTIFIER = "local.slipstream.Slipstream"
TRACE_TYPE = "local.slipstream.trace"
TRACE_EXTENSION = "slipstream"
MINIMUM_SYSTEM = "14.0"
LANGUAGES = ("en", "zh-Hans")


def info(version: str) -> dict[str, Any]:
    return {
        "CFBundleName": NAME,
        "CFBundleDisplayName": NAME,
        "CFBundleIdentifier": IDENTIFIER,
        "CFBundlePackageType": "APPL",
        "CFBundleShortVersionString": version,
        "CFBundleVersion": version,
        "CFBundleDevelopmentRegion": "en",
        # The languages of menus that macOS itself adds, and the order in which QLocale names the user's languages.
        "CFBundleLocalizations": list(LANGUAGES),
        "CFBundleAllowMixedLocalizations": True,
        "CFBundleDocumentTypes": [
            {
                "CFBundleTypeName": "Slipstream trace",
                "CFBundleTypeRole": "Viewer",
                "LSHandlerRank": "Owner",
                "LSItemContentTypes": [TRACE_TYPE],
            }
        ],
        "UTExportedTypeDeclarations": [
            {
                "UTTypeIdentifier": TRACE_TYPE,
                "UTTypeDescription": "Slipstream trace",
                "UTTypeConformsTo": ["public.data", "public.content"],
                "UTTypeTagSpecification": {"public.filename-extension": [TRACE_EXTENSION]},
            }
        ],
        "LSApplicationCategoryType": "public.app-category.developer-tools",
        "LSArchitecturePriority": ["arm64"],
        "LSMinimumSystemVersion": MINIMUM_SYSTEM,
        "LSRequiresNativeExecution": True,
        "NSHighResolutionCapable": True,
        "NSHumanReadableCopyright": "Apache License 2.0. The embedded model SmolLM2-135M-Instruct: Apache License 2.0.",
        "NSPrincipalClass": "NSApplication",
        "NSRequiresAquaSystemAppearance": False,
        "NSSupportsAutomaticGraphicsSwitching": True,
    }
