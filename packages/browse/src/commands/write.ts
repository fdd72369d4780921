/** Records of the commands that act on a page. Their handlers are in write/. Each answers with what it changed. */
import { option } from "@devflow/core/command";
import { z } from "zod";
import { defineBrowseCommand, defineBrowseRecord } from "../command.ts";
import { optionalTargetArg, targetArg } from "./targets-arg.ts";

const write = { group: "Write", effect: "write", needs: "tab" } as const;
const button = z.enum(["left", "right", "middle"]).default("left").describe("Mouse button");
const modifiers = z
  .array(z.enum(["Alt", "Control", "Meta", "Shift"]))
  .optional()
  .describe("Keys to hold down");
const at = option(z.array(z.string()).default([]), { positional: 1, placeholder: "at <x,y>" }).describe(
  "Where in it, in pixels from its top left corner: for canvas, maps, sliders and drawings",
);
const onOff = (what: string) => option(z.enum(["on", "off"]), { positional: 0 }).describe(what);

export const speeds = ["slow-3g", "fast-3g", "slow-4g", "fast-4g", "off"] as const;

export const clickRecord = defineBrowseRecord({
  ...write,
  name: "click",
  summary: "Click an element",
  args: z.object({ target: targetArg(0), at, button, modifiers }),
  examples: [
    { run: "click @e3", does: "click what the snapshot showed as @e3" },
    { run: "click @e3 at 40,12", does: "click a place in a canvas or a map" },
    { run: "click button:Save", does: "click the button named Save" },
  ],
});

export const fillRecord = defineBrowseRecord({
  ...write,
  name: "fill",
  summary: "Replace a field's value",
  args: z.object({
    target: targetArg(0),
    value: option(z.string(), { positional: 1 }).describe("The new value; dates as 2026-12-31"),
  }),
  examples: [{ run: "fill @e5 'Bob'", does: "put Bob into the field @e5" }],
});

export const typeRecord = defineBrowseRecord({
  ...write,
  name: "type",
  summary: "Type key by key into the focused element, or a given one",
  args: z.object({
    text: option(z.string().min(1), { positional: 0 }).describe("What to type"),
    target: optionalTargetArg(1),
  }),
  examples: [{ run: "type 'hello' @e5", does: "type into @e5 after its current value" }],
});

export const pressRecord = defineBrowseRecord({
  ...write,
  name: "press",
  summary: "Press a key or a combination",
  args: z.object({
    key: option(z.string().min(1), { positional: 0 }).describe("Enter, Escape, Control+A, ArrowDown …"),
    target: optionalTargetArg(1),
    times: z.number().int().min(1).max(200).default(1).describe("How often"),
  }),
  examples: [
    { run: "press Enter @e5", does: "press Enter in the field @e5" },
    { run: "press Shift+ArrowRight --times 11", does: "select the next 11 characters" },
  ],
});

export const selectRecord = defineBrowseRecord({
  ...write,
  name: "select",
  summary: "Choose options in a select box, combobox or listbox",
  args: z.object({
    target: targetArg(0),
    options: option(z.array(z.string()).min(1), { positional: 1 }).describe(
      "Options by label or value; the beginning is enough where no other begins so",
    ),
  }),
  examples: [{ run: "select @e7 Large", does: "choose the option Large" }],
});

export const scrollRecord = defineBrowseRecord({
  ...write,
  name: "scroll",
  summary: "Scroll an element into view, or the page",
  args: z.object({
    target: optionalTargetArg(0),
    to: z.enum(["top", "bottom"]).optional().describe("To the top or bottom of the page"),
    by: z.number().int().optional().describe("By this many pixels; negative is up"),
  }),
  examples: [
    { run: "scroll @e90", does: "bring it into view" },
    { run: "scroll --to bottom", does: "to the end, so that lists load more" },
  ],
});

export const dragRecord = defineBrowseRecord({
  ...write,
  name: "drag",
  summary: "Drag one element onto another, or from one place in it to another",
  args: z.object({
    from: targetArg(0),
    to: option(z.array(z.string()).min(1), { positional: 1, placeholder: "<target>" }).describe(
      "Where to drop it: a target, a place in it (@e8 at 30,20), or places in pixels from the top left corner (at 10,60 to 150,60)",
    ),
  }),
  examples: [
    { run: "drag @e3 @e8", does: "drop @e3 on @e8" },
    { run: "drag @e3 @e8 at 30,20", does: "drop it at a place in @e8" },
    { run: "drag @e3 at 5,10 to 150,10", does: "move a slider's handle, draw a line" },
  ],
});

export const uploadRecord = defineBrowseRecord({
  ...write,
  name: "upload",
  summary: "Choose files in a file field, or through an element that opens the file chooser",
  args: z.object({
    target: targetArg(0),
    files: option(z.array(z.string()).min(1), { positional: 1 }).describe("Paths in the workspace or the temp folder"),
  }),
  examples: [{ run: "upload @e6 ./photo.png", does: "choose the file in the field @e6" }],
});

export const downloadRecord = defineBrowseRecord({
  ...write,
  name: "download",
  summary: "Click an element that starts a download and save it, or save the last download",
  args: z.object({
    target: optionalTargetArg(0),
    save: option(z.string().optional(), { placeholder: "<file>" }).describe(
      "Where to save it; by default under its own name, here",
    ),
  }),
  deadlineMs: 60_000,
  examples: [{ run: "download @e9 --save report.csv", does: "click @e9 and save the file" }],
});

export const dialogRecord = defineBrowseRecord({
  ...write,
  name: "dialog",
  summary: "Set how the page's next dialog is answered",
  description: "By default alerts are accepted and questions dismissed; this prepares another answer.",
  args: z.object({
    answer: option(z.enum(["accept", "dismiss"]), { positional: 0 }).describe("What to answer"),
    text: option(z.string().optional(), { positional: 1 }).describe("What to type into a prompt"),
    always: z.boolean().default(false).describe("For every dialog from now on"),
  }),
  examples: [{ run: "dialog accept", does: "say yes to the next confirm" }],
});

export const waitRecord = defineBrowseRecord({
  ...write,
  effect: "read",
  name: "wait",
  summary: "Wait for an element, text, a URL, a change or an idle network, and say what is new",
  args: z.object({
    target: optionalTargetArg(0),
    hidden: z.boolean().default(false).describe("Until the element is no longer visible"),
    text: z.string().optional().describe("Until this text is on the page"),
    url: z.string().optional().describe("Until the URL contains this"),
    fn: option(z.string().optional(), { placeholder: "<expression>" }).describe("Until this JavaScript is true"),
    idle: z.boolean().default(false).describe("Until half a second after the last request and the last command"),
    change: z.boolean().default(false).describe("Until the page shows something that no answer has told"),
    timeout: z.number().int().min(1).max(110_000).default(10_000).describe("Most milliseconds to wait"),
  }),
  examples: [
    { run: "wait --text Saved", does: "until the page shows Saved" },
    { run: "wait --change", does: "until anything is new, whatever it is, and say what" },
    { run: "wait '#spinner' --hidden", does: "until the spinner is gone" },
    { run: "wait 500", does: "half a second, where nothing tells when" },
  ],
});

export const mediaRecord = defineBrowseRecord({
  ...write,
  name: "media",
  summary: "Set the colour scheme, motion, contrast and media type that the page sees",
  args: z.object({
    scheme: z.enum(["light", "dark", "off"]).optional().describe("prefers-color-scheme"),
    motion: z.enum(["reduce", "no-preference", "off"]).optional().describe("prefers-reduced-motion"),
    contrast: z.enum(["more", "no-preference", "off"]).optional().describe("prefers-contrast"),
    type: z.enum(["screen", "print", "off"]).optional().describe("Media type"),
  }),
  examples: [{ run: "media --scheme dark", does: "see the dark theme" }],
});

export const throttleRecord = defineBrowseRecord({
  ...write,
  name: "throttle",
  summary: "Slow down this tab's network or CPU",
  args: z.object({
    speed: option(z.enum(speeds), { positional: 0 }).describe("Network speed"),
    cpu: z.number().min(1).max(20).optional().describe("CPU slowdown factor"),
  }),
  examples: [{ run: "throttle slow-3g --cpu 4", does: "like a cheap phone on a poor connection" }],
});

export const routeRecord = defineBrowseRecord({
  ...write,
  name: "route",
  summary: "Mock or block some of this tab's requests",
  args: z.object({
    pattern: option(z.string().min(1).optional(), { positional: 0 }).describe(
      "Such as **/api/user; omit it to list routes",
    ),
    block: z.boolean().default(false).describe("Make them fail"),
    status: z.number().int().min(100).max(599).optional().describe("Answer with this status"),
    body: z.string().optional().describe("Answer with this body"),
    type: z.string().optional().describe("Content type of the body"),
    off: z.boolean().default(false).describe("Let them through again"),
  }),
  examples: [
    { run: "route '**/api/user' --status 500", does: "see how the page handles an error" },
    { run: "route '**/*.png' --block", does: "no images" },
  ],
});

export const cookieRecord = defineBrowseRecord({
  ...write,
  name: "cookie",
  summary: "Set a cookie for this page, or remove it",
  args: z.object({
    name: option(z.string().min(1), { positional: 0 }).describe("Its name"),
    value: option(z.string().optional(), { positional: 1 }).describe("Its value; omit it to remove"),
    domain: z.string().optional().describe("For this domain and its subdomains"),
    path: z.string().default("/").describe("For this path and below"),
    httpOnly: z.boolean().default(false).describe("Hidden from scripts"),
    secure: z.boolean().default(false).describe("Only over TLS"),
    sameSite: z.enum(["Strict", "Lax", "None"]).optional().describe("SameSite attribute"),
  }),
  examples: [{ run: "cookie theme dark", does: "set it for this page's host" }],
});

export const storageSetRecord = defineBrowseRecord({
  ...write,
  name: "storage-set",
  summary: "Set or remove a key of localStorage or sessionStorage",
  args: z.object({
    key: option(z.string().min(1), { positional: 0 }).describe("Which key"),
    value: option(z.string().optional(), { positional: 1 }).describe("Its value; omit it to remove"),
    area: z.enum(["local", "session"]).default("local").describe("Which storage"),
  }),
  examples: [{ run: "storage-set theme dark", does: "as if the page had stored it" }],
});

export const writeCommands = [
  defineBrowseCommand(clickRecord, async () => {
    const { click } = await import("./write/click.ts");
    return (input, scope) => click(input, scope, 1);
  }),
  defineBrowseCommand(
    {
      ...write,
      name: "dblclick",
      summary: "Double-click an element",
      args: z.object({ target: targetArg(0), at, button, modifiers }),
      examples: [{ run: "dblclick @e3", does: "double-click it" }],
    },
    async () => {
      const { click } = await import("./write/click.ts");
      return (input, scope) => click(input, scope, 2);
    },
  ),
  defineBrowseCommand(fillRecord, async () => (await import("./write/fill.ts")).fill),
  defineBrowseCommand(typeRecord, async () => (await import("./write/keyboard.ts")).type),
  defineBrowseCommand(pressRecord, async () => (await import("./write/keyboard.ts")).press),
  defineBrowseCommand(
    {
      ...write,
      name: "hover",
      summary: "Move the mouse over an element",
      args: z.object({ target: targetArg(0) }),
      examples: [{ run: "hover @e3", does: "show what appears under the mouse" }],
    },
    async () => (await import("./write/pointer.ts")).hover,
  ),
  defineBrowseCommand(selectRecord, async () => (await import("./write/choose.ts")).select),
  ...(["check", "uncheck"] as const).map((name) =>
    defineBrowseCommand(
      {
        ...write,
        name,
        summary: name === "check" ? "Tick a checkbox, radio button or switch" : "Untick a checkbox or switch",
        args: z.object({ target: targetArg(0) }),
        examples: [{ run: `${name} @e4`, does: `does nothing if it is already ${name}ed` }],
      },
      async () => {
        const { setChecked } = await import("./write/choose.ts");
        return (input, scope) => setChecked(input.target, name === "check", scope);
      },
    ),
  ),
  defineBrowseCommand(scrollRecord, async () => (await import("./write/pointer.ts")).scroll),
  defineBrowseCommand(dragRecord, async () => (await import("./write/drag.ts")).drag),
  defineBrowseCommand(uploadRecord, async () => (await import("./write/files.ts")).upload),
  defineBrowseCommand(downloadRecord, async () => (await import("./write/files.ts")).download),
  defineBrowseCommand(dialogRecord, async () => (await import("./write/dialog.ts")).dialog),
  defineBrowseCommand(waitRecord, async () => (await import("./write/wait.ts")).wait),
  defineBrowseCommand(
    {
      ...write,
      name: "viewport",
      summary: "Set the size of the viewport",
      args: z.object({
        size: option(z.string().regex(/^\d{2,5}x\d{2,5}$/, "expected a size like 1280x720"), {
          positional: 0,
        }).describe("Width and height: 1280x720"),
      }),
      examples: [{ run: "viewport 375x812", does: "as narrow as a phone" }],
    },
    async () => (await import("./write/emulate.ts")).viewport,
  ),
  defineBrowseCommand(
    {
      ...write,
      name: "device",
      summary: "Emulate a phone or a tablet: size, touch and user agent",
      args: z.object({
        name: option(z.string().min(1), { positional: 0 }).describe("Such as 'iPhone 15' or 'Pixel 7'; off for none"),
      }),
      examples: [{ run: "device 'Pixel 7'", does: "then reload, since sites choose their layout on load" }],
    },
    async () => (await import("./write/emulate.ts")).device,
  ),
  defineBrowseCommand(
    {
      ...write,
      name: "geo",
      summary: "Set the location that the page sees",
      args: z.object({
        place: option(z.string().regex(/^(off|-?\d+(\.\d+)?,-?\d+(\.\d+)?)$/, "expected 52.52,13.40 or off"), {
          positional: 0,
          placeholder: "<latitude,longitude>",
        }).describe("Latitude and longitude, or off"),
      }),
      examples: [{ run: "geo 52.52,13.40", does: "report Berlin" }],
    },
    async () => (await import("./write/emulate.ts")).geo,
  ),
  defineBrowseCommand(mediaRecord, async () => (await import("./write/emulate.ts")).media),
  defineBrowseCommand(
    {
      ...write,
      name: "offline",
      summary: "Take this session offline, or back online",
      args: z.object({ state: onOff("on: no network; off: network again") }),
      examples: [{ run: "offline on", does: "see what the page does without a network" }],
    },
    async () => (await import("./write/network.ts")).offline,
  ),
  defineBrowseCommand(throttleRecord, async () => (await import("./write/network.ts")).throttle),
  defineBrowseCommand(
    {
      ...write,
      name: "headers",
      summary: "Set headers that this tab sends with every request",
      args: z.object({
        headers: option(z.array(z.string()), { positional: 0 }).describe("Such as 'X-Env: staging'; off for none"),
      }),
      examples: [{ run: "headers 'X-Env: staging'", does: "send it from now on" }],
    },
    async () => (await import("./write/network.ts")).headers,
  ),
  defineBrowseCommand(
    {
      ...write,
      name: "useragent",
      summary: "Set the user agent that this tab sends",
      args: z.object({
        text: option(z.string().min(1), { positional: 0 }).describe("The full string; off for Chromium's"),
      }),
      examples: [{ run: "useragent 'MyBot/1.0'", does: "from the next request on" }],
    },
    async () => (await import("./write/emulate.ts")).useragent,
  ),
  defineBrowseCommand(routeRecord, async () => (await import("./write/route.ts")).route),
  defineBrowseCommand(cookieRecord, async () => (await import("./write/site-state.ts")).cookie),
  defineBrowseCommand(storageSetRecord, async () => (await import("./write/site-state.ts")).storageSet),
];
