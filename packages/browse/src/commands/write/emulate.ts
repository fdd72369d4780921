/** Emulates a viewport, device, location, media features or user agent. */

import { DevflowError } from "@devflow/core/errors";
import { nearest } from "@devflow/core/nearest";
import { devices } from "playwright-core";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import type { mediaRecord } from "../write.ts";

const nothing = async (): Promise<void> => undefined;

export function viewport(input: { readonly size: string }, scope: TabScope): Promise<Answer> {
  const [width, height] = input.size.split("x").map(Number);
  return withReceipt(scope, {
    prepare: nothing,
    async act() {
      await scope.tab.page.setViewportSize({ width: width!, height: height! });
      return { did: `the viewport is ${width}×${height}`, data: { width, height } };
    },
  });
}

export async function device(input: { readonly name: string }, scope: TabScope): Promise<Answer> {
  const cdp = await scope.tab.cdp();
  if (input.name === "off") {
    await cdp.send("Emulation.clearDeviceMetricsOverride");
    await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: false });
    await cdp.send("Emulation.setUserAgentOverride", { userAgent: "" });
    return { text: "device emulation is off; reload to see it", data: { device: null } };
  }
  const known = Object.keys(devices);
  const name = known.find((one) => one.toLowerCase() === input.name.toLowerCase());
  const found = name === undefined ? undefined : devices[name];
  if (!found) {
    const near = nearest(input.name, known) ?? "Pixel 7";
    const next = `For example: devflow browse device '${near}'`;
    throw new DevflowError("not_found", { details: { what: `The device ${JSON.stringify(input.name)}`, next } });
  }
  const { width, height } = found.viewport;
  return withReceipt(scope, {
    prepare: nothing,
    async act() {
      await scope.tab.page.setViewportSize({ width, height });
      await cdp.send("Emulation.setDeviceMetricsOverride", {
        width,
        height,
        deviceScaleFactor: found.deviceScaleFactor,
        mobile: found.isMobile,
      });
      await cdp.send("Emulation.setTouchEmulationEnabled", { enabled: found.hasTouch });
      await cdp.send("Emulation.setUserAgentOverride", { userAgent: found.userAgent });
      return {
        did: `this tab emulates ${name} (${width}×${height}); reload to see it`,
        data: { device: name, width, height },
      };
    },
  });
}

export async function geo(input: { readonly place: string }, { tab, session }: TabScope): Promise<Answer> {
  if (input.place === "off") {
    await session.context.setGeolocation(null);
    return { text: "the location is unset", data: { place: null } };
  }
  const [latitude, longitude] = input.place.split(",").map(Number);
  await session.context.setGeolocation({ latitude: latitude!, longitude: longitude! });
  const url = tab.page.url();
  await session.context.grantPermissions(
    ["geolocation"],
    url.startsWith("http") ? { origin: new URL(url).origin } : {},
  );
  return { text: `pages see the location ${latitude}, ${longitude}`, data: { latitude, longitude } };
}

type MediaInput = BrowseInput<typeof mediaRecord>;

export function media(input: MediaInput, scope: TabScope): Promise<Answer> {
  const given = <T extends string>(value: T | undefined) => (value === "off" ? null : (value as Exclude<T, "off">));
  return withReceipt(scope, {
    prepare: nothing,
    async act() {
      await scope.tab.page.emulateMedia({
        ...(input.scheme && { colorScheme: given(input.scheme) }),
        ...(input.motion && { reducedMotion: given(input.motion) }),
        ...(input.contrast && { contrast: given(input.contrast) }),
        ...(input.type && { media: given(input.type) }),
      });
      const set = Object.entries(input).filter(([, value]) => value !== undefined);
      return { did: set.map(([name, value]) => `${name} ${value}`).join(", ") || "nothing was set" };
    },
  });
}

export async function useragent(input: { readonly text: string }, { tab }: TabScope): Promise<Answer> {
  const cdp = await tab.cdp();
  const userAgent = input.text === "off" ? "" : input.text;
  await cdp.send("Emulation.setUserAgentOverride", { userAgent });
  const text = userAgent
    ? `this tab sends ${JSON.stringify(userAgent)} from its next request on`
    : "this tab sends Chromium's user agent again";
  return { text, data: { userAgent: userAgent || null } };
}
