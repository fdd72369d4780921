import { DevflowError } from "@devflow/core/errors";
import type { Frame } from "playwright-core";
import type { Answer, TabScope } from "../../command.ts";

export async function frame({ which }: { which?: string | undefined }, { tab }: TabScope): Promise<Answer> {
  const frames = tab.page.frames();
  if (which !== undefined) tab.selectFrame(which === "main" ? undefined : pick(frames, which));
  const current = tab.frame();
  const data = frames.map((one, number) => ({ number, name: one.name(), url: one.url(), isCurrent: one === current }));
  const lines = data.map(
    ({ number, name, url, isCurrent }) =>
      `${isCurrent ? "*" : " "} ${number}${number === 0 ? " main" : ""}${name ? ` ${JSON.stringify(name)}` : ""} ${url}`,
  );
  return { text: lines.join("\n"), data: { frames: data }, fromPage: true };
}

function pick(frames: readonly Frame[], which: string): Frame {
  const byNumber = /^\d+$/.test(which) ? frames[Number(which)] : undefined;
  const found =
    byNumber ?? frames.find((one) => one.name() === which) ?? frames.find((one) => one.url().includes(which));
  if (found) return found;
  throw new DevflowError("not_found", {
    details: { what: `A frame "${which}"`, next: "List them: devflow browse frame" },
  });
}
