/** Checkboxes, radio buttons and file fields that a page hides and draws itself. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

const ways = {
  none: "display:none",
  invisible: "visibility:hidden",
  away: "position:absolute;left:-9999px",
  tiny: "position:absolute;width:0;height:0;margin:0",
  clear: "position:absolute;opacity:0",
};

let bench: Bench;
beforeAll(async () => {
  const choices = Object.entries(ways).map(([name, style]) => {
    return `<p><label><input type=checkbox id=${name} style="${style}"><b></b> <span>Styled ${name}</span></label></p>`;
  });
  bench = await openBench({
    "/choices": html(`
      <style>b { display: inline-block; width: 12px; height: 12px; border: 1px solid } :checked + b { background: black }
        [type=radio] { display: none }</style>
      ${choices.join("")}
      <input type=radio name=size id=small checked><label for=small>Small</label>
      <input type=radio name=size id=large><label for=large>Large</label>
      <label>Contract <input type=file id=file style="display:none"></label><p id=out></p>
      <script>file.onchange = () => { out.textContent = file.files[0].name; };</script>`),
  });
});
afterAll(() => bench.close());

const isChecked = async (page: { text(...words: string[]): Promise<string> }, id: string) =>
  (await page.text("js", `document.getElementById("${id}").checked`)) === "true";

test.each(Object.keys(ways))(
  "a checkbox hidden by %s is ticked through its label, however it is named",
  async (name) => {
    const page = await bench.visit("/choices");
    expect(await page.text("check", `#${name}`)).toMatch(/^checked @e\d+ /);
    expect(await isChecked(page, name)).toBe(true);
    expect(await page.text("uncheck", `Styled ${name}`)).toMatch(/^unchecked @/);
    expect(await isChecked(page, name)).toBe(false);
    expect(await page.text("click", `#${name}`)).toMatch(/checked/);
    expect(await isChecked(page, name)).toBe(true);
    expect(await page.text("click", `Styled ${name}`)).toMatch(/^clicked @/);
    expect(await isChecked(page, name)).toBe(false);
    expect(await page.text("check", `Styled ${name}`)).toMatch(/^checked @/);
    expect(await page.text("check", `Styled ${name}`)).toContain("was already checked");
  },
);

test("a hidden radio button is chosen through its label", async () => {
  const page = await bench.visit("/choices");
  expect(await page.text("check", "Large")).toMatch(/^checked @/);
  expect(await isChecked(page, "large")).toBe(true);
  expect(await page.text("click", "#small")).toContain("is checked now");
  expect(await isChecked(page, "small")).toBe(true);
});

test("a file is chosen in a hidden field by the words of its label", async () => {
  const page = await bench.visit("/choices");
  const file = join(bench.folder, "contract.pdf");
  await writeFile(file, "signed");
  expect(await page.text("upload", "Contract", file)).toContain("contract.pdf");
  expect(await page.text("text", "#out")).toBe("contract.pdf");
});
