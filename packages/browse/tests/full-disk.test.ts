/** A workspace on a full disk: every command says so in time and leaves nothing half done. */
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { canRun, devflowCommand, runProcess, temporaryHome } from "@devflow/testkit";
import { fillDisk, freeDisk, lackOfSmallDisk, openSmallDisk } from "@devflow/testkit/small-disk";
import { processesNaming, until } from "./browser-bench.ts";

const hasSmallDisk = await canRun("the tests of browse with a full disk", lackOfSmallDisk);
const limit = 120_000;

describe.if(hasSmallDisk)("on a full disk", () => {
  test(
    "a browser that cannot start says why at once and leaves no process; files are written whole or not at all",
    async () => {
      const disk = openSmallDisk();
      const home = temporaryHome();
      const root = disk.path;
      mkdirSync(join(root, ".git"));
      const browse = async (...words: string[]) => {
        const start = performance.now();
        const env = home.environment({ DEVFLOW_BROWSE_SANDBOX: "off" });
        const { code, stdout, stderr } = await runProcess([...devflowCommand(), "browse", ...words], {
          env,
          cwd: root,
        });
        return { code, stdout, stderr, ms: performance.now() - start };
      };
      const full = { code: 74, stderr: expect.stringContaining(`The disk that holds ${root}`) };
      try {
        fillDisk(root);
        expect(await browse("text", "--timeout", "3000")).toMatchObject(full);
        expect(existsSync(join(root, ".devflow", ".gitignore"))).toBe(false);
        freeDisk(root);

        const page = "data:text/html,<title>Page</title><h1>Words</h1>";
        expect(await browse("goto", page)).toMatchObject({ code: 0 });
        expect(readFileSync(join(root, ".devflow", ".gitignore"), "utf8")).toStartWith("*\n");
        writeFileSync(join(root, "shot.png"), "the old one");
        const files = readdirSync(root);
        fillDisk(root);
        for (const words of [
          ["screenshot", "shot.png"],
          ["screenshot", "--compare", "base.png"],
          ["pdf", "page.pdf"],
        ]) {
          expect(await browse(...words)).toMatchObject(full);
        }
        expect(readdirSync(root).sort()).toEqual([...files, "ballast"].sort());
        expect(readFileSync(join(root, "shot.png"), "utf8")).toBe("the old one");
        expect((await browse("stop")).code).toBe(0);
        await until("it has ended", () => processesNaming(root).length === 0);

        // What it removed at its end is free again.
        fillDisk(root);
        const failed = await browse("text", "--timeout", "3000");
        expect(failed).toMatchObject(full);
        // The program itself takes a second or two to start.
        expect(failed.ms).toBeLessThan(8_000);
        await until("no process is left", () => processesNaming(root).length === 0, 5_000);
      } finally {
        freeDisk(root);
        await browse("stop");
        await until("nothing holds the disk", () => processesNaming(root).length === 0);
        disk.close();
      }
    },
    limit,
  );
});
