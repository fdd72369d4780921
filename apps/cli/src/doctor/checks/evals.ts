/** The stored eval runs: whether all of them can be read. */
import { access } from "node:fs/promises";
import { join } from "node:path";
import { type Check, pass, warn } from "../check.ts";

export const checkEvals: Check = {
  name: "evals",
  run: async ({ inspection: { home } }) => {
    const folder = join(home, "evals/runs");
    const isThere = await access(folder).then(
      () => true,
      () => false,
    );
    if (!isThere) return pass("no runs stored");
    const { openStore } = await import("@devflow/evals/store");
    const store = await openStore(home);
    try {
      const aside = store.setAside();
      const { matching } = store.list({ limit: 1 });
      const [first] = aside;
      if (!first) return pass(`${matching} ${matching === 1 ? "run" : "runs"} stored`);
      const others = aside.length > 1 ? `, and ${aside.length - 1} more` : "";
      const detail = `${aside.length} of ${matching + aside.length} run files cannot be read: ${first.file}: ${first.reason}${others}`;
      return warn(detail, `Push the run again, or remove the file from ${folder}`);
    } finally {
      store.close();
    }
  },
};
