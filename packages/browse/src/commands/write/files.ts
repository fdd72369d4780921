/** Uploads and downloads. */

import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { DevflowError } from "@devflow/core/errors";
import type { Download } from "playwright-core";
import type { Answer, BrowseInput, TabScope } from "../../command.ts";
import { withReceipt } from "../../receipts/with-receipt.ts";
import { attachTab } from "../../tab-events/attach-tab.ts";
import { lastDownload } from "../../tab-events/downloads.ts";
import { resolveTarget } from "../../targets/resolve-target.ts";
import { moveOutput } from "../output-file.ts";
import { actionTimeoutMs, runAction } from "../run-action.ts";
import type { downloadRecord, uploadRecord } from "../write.ts";
import { findReachable } from "./find-actionable.ts";
import { pressElement } from "./press-element.ts";

/** Until the page says that it has the file. */
const receivedMs = 1_500;

type UploadInput = BrowseInput<typeof uploadRecord>;

export async function upload(input: UploadInput, scope: TabScope): Promise<Answer> {
  const paths = await Promise.all(input.files.map((file) => scope.files.forReading(file)));
  return withReceipt(scope, {
    prepare: () => resolveTarget(scope.tab, input.target),
    async act(found) {
      await runAction("upload", found, async () => {
        const isField = await found.locator.evaluate(
          (element) => element instanceof HTMLInputElement && element.type === "file",
        );
        if (isField) return found.locator.setInputFiles(paths, { timeout: actionTimeoutMs });
        const chooser = scope.tab.page.waitForEvent("filechooser", { timeout: actionTimeoutMs });
        chooser.catch(() => undefined);
        // Chromium handles what Playwright asks for in order; after this answer it reports choosers instead of opening them.
        await scope.tab.page.mainFrame().evaluate("0");
        await pressElement(scope, found);
        await (await chooser).setFiles(paths);
      });
      const names = paths.map((path) => basename(path)).join(", ");
      const effects = [`chosen: ${names}`];
      return { did: `uploaded ${names} to ${found.label}`, effects, patienceMs: receivedMs };
    },
  });
}

type DownloadInput = BrowseInput<typeof downloadRecord>;

const downloadMs = 30_000;

export async function download(input: DownloadInput, scope: TabScope): Promise<Answer> {
  attachTab(scope.tab);
  if (input.target === undefined) {
    const last = lastDownload(scope.tab);
    if (!last) {
      const next = "Name the element that starts it: devflow browse download <target>";
      throw new DevflowError("not_found", { details: { what: "A download in this tab", next } });
    }
    const file = await save(last, input.save, scope);
    return { text: `saved ${file}`, data: { file, suggestedName: last.suggestedFilename() }, fromPage: true };
  }
  const target = input.target;
  return withReceipt(scope, {
    prepare: () => findReachable(scope, target),
    async act(found) {
      const begun = scope.tab.page.waitForEvent("download", { timeout: downloadMs });
      begun.catch(() => undefined);
      await runAction("click", found, () => pressElement(scope, found));
      const got = await begun.catch((error: unknown) => {
        const reason = "no download started";
        const next = `See what it does instead: devflow browse click @${found.ref}`;
        const details = { action: "download", target: found.label, reason, next };
        throw new DevflowError("browse_action_failed", { details, cause: error });
      });
      const file = await save(got, input.save, scope);
      return {
        did: `clicked ${found.label} and saved ${file} (${(await stat(file)).size} bytes)`,
        on: found,
        tellsDownload: true,
        data: { file, suggestedName: got.suggestedFilename() },
      };
    },
  });
}

async function save(got: Download, path: string | undefined, scope: TabScope): Promise<string> {
  // The server chose the name, so only its last part is used, and never as a hidden file.
  const own = basename(got.suggestedFilename()).replace(/^\.+/, "") || "download";
  const file = await scope.files.forWriting(path ?? own);
  await moveOutput(file, (aside) => got.saveAs(aside));
  return file;
}
