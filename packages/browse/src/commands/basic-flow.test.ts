import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html } from "../../testing/bench-site.ts";

let bench: Bench;
beforeAll(async () => {
  bench = await openBench({
    "/form": html(`
      <h1>Sign up</h1>
      <label>Name <input id=name></label>
      <label>Password <input type=password id=pw></label>
      <button id=save>Save</button><p id=out></p>
      <button id=count>Count 0</button>
      <button id=idle>Idle</button>
      <script>
        let n = 0;
        count.onclick = () => count.textContent = 'Count ' + ++n;
        save.onclick = () => { out.textContent = 'Saved ' + document.getElementById('name').value; };
      </script>`),
  });
});
afterAll(() => bench.close());

test("a page is opened, read, filled and clicked by refs, and each write reports what it changed", async () => {
  const page = await bench.visit();
  expect(await page.text("goto", bench.site.url("/form"))).toBe(
    [
      `HTTP 200 "Test page" ${bench.site.url("/form")}`,
      '  heading "Sign up" [level 1]',
      '  @e1 textbox "Name"',
      '  @e2 textbox "Password"',
      '  @e3 button "Save"',
      '  @e4 button "Count 0"',
      '  @e5 button "Idle"',
    ].join("\n"),
  );
  expect(await page.text("snapshot", "-i")).toBe(
    [
      '@e1 textbox "Name"',
      '@e2 textbox "Password"',
      '@e3 button "Save"',
      '@e4 button "Count 0"',
      '@e5 button "Idle"',
    ].join("\n"),
  );
  expect(await page.text("fill", "@e1", "Bob")).toBe('filled @e1 textbox "Name": "" → "Bob"');
  expect(await page.text("click", "e3")).toBe('clicked @e3 button "Save"\n+ "Saved Bob"');
  expect(await page.text("click", "@e4")).toBe('clicked @e4 button "Count 0" → "Count 1"');
  expect(await page.text("click", "@e4")).toBe('clicked @e4 button "Count 1" → "Count 2"');
  expect(await page.text("js", "document.title")).toBe("Test page");
  expect(await page.text("fill", "@e2", "hunter2")).not.toContain("hunter2");
  await page.text("click", "@e5");
  expect(await page.text("click", "@e5")).toBe('clicked @e5 button "Idle"\nno observable effect');
});
