/**
 * Features of Chromium that are switched off. Chromium follows only the last `--disable-features` of its command line, so the
 * list has Playwright's too (chromium-features.test.ts compares them).
 *
 * - `withoutFeatures()` the argument.
 */

/** For each form that a page shows or a person fills, Chromium asks a server of Google's how to complete it. */
const ours = ["AutofillServerCommunication"];

const ofPlaywright = [
  "AvoidUnnecessaryBeforeUnloadCheckSync",
  "DestroyProfileOnBrowserClose",
  "HttpsUpgrades",
  "HttpsFirstBalancedModeAutoEnable",
  "LensOverlay",
  "MediaRouter",
  "PaintHolding",
  "ThirdPartyStoragePartitioning",
  "AvoidCorsURLLoaderRestartOnRedirect",
  "TcpPortRandomizationWin",
  "OptimizationHints",
  "NetworkTimeServiceQuerying",
  "AimEnabled",
  "PreconnectToSearch",
  "msForceBrowserSignIn",
  "msEdgeUpdateLaunchServicesPreferredVersion",
];

export function withoutFeatures(): string {
  return `--disable-features=${[...ofPlaywright, ...ours].join(",")}`;
}
