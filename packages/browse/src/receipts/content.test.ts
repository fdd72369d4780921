/** Receipts of pages as component libraries build them: what comes late, what a dialog hides, what moves. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { type Bench, openBench } from "../../testing/bench.ts";
import { html, type SiteRoute } from "../../testing/bench-site.ts";

let bench: Bench;
const after =
  (ms: number, body: string): SiteRoute =>
  () =>
    Bun.sleep(ms).then(() => body);

const people = `<h1>People</h1><input placeholder="Search…"><button id=add>New person</button>
  <table><tbody id=rows></tbody></table>`;
const peopleScript = `
  const all = ["Ann Abbott", "Bob Baker", "Cid Castle", "Dan Dale"];
  const show = (names) => rows.replaceChildren(...names.map((name) => {
    const row = document.createElement("tr");
    row.innerHTML = "<td>" + name + "</td><td>active</td><td><button>Delete</button></td>";
    return row;
  }));`;
/** As MUI does: what is beside a dialog is hidden from screen readers; the dialog fades. */
const dialogScript = `
  let box;
  add.onclick = () => {
    box = document.body.appendChild(document.createElement("div"));
    box.innerHTML = '<div style="position:fixed;inset:0;background:#0003;transition:opacity .2s"></div>' +
      '<div style="position:fixed;top:20px"><h2>New person</h2>' +
      ["First name", "Last name", "E-mail", "Phone", "Street", "Town", "Country", "Role", "Team", "Manager", "Start"]
        .map((name) => "<label>" + name + " <input></label>").join("") + "<button>Cancel</button><button>Save</button></div>";
    root.setAttribute("aria-hidden", "true");
    const close = () => {
      box.style.opacity = 0;
      box.firstElementChild.style.opacity = 0;
      setTimeout(() => { box.remove(); root.removeAttribute("aria-hidden"); }, 200);
    };
    box.querySelectorAll("button")[0].onclick = close;
    box.querySelectorAll("button")[1].onclick = () => { show([...all, box.querySelector("input").value + " New"]); close(); };
  };
  show(all);`;

beforeAll(async () => {
  bench = await openBench({
    "/dialog": html(`<div id=root>${people}</div><script>${peopleScript}${dialogScript}</script>`),
    "/choice":
      html(`<style>label { cursor: pointer; display: block }</style><div id=ways></div><button id=more>More</button>
      <label><input type=checkbox> I accept the <a href="/pay">terms of sale</a></label><script>
      more.onclick = () => ways.innerHTML = ['Standard|3–5 days|€5.90', 'Express|next day|€12.50'].map((one) => one.split('|'))
        .map(([name, hint, price]) => '<label><input type=radio name=way><span>' + name + '<br><span>' + hint + '</span></span><span>' + price + '</span></label>').join('');
      </script>`),
    "/menu":
      html(`<nav>${["Overview", "Parking permits", "Waste"].map((name) => `<a href="/menu">${name}</a>`).join("")}</nav>
      <main><h1>Profile</h1>${Array.from({ length: 16 }, (_, at) => `<button>Edit ${at}</button>`).join("")}</main>`),
    "/ended": html(`<a href=/>Lumen &amp; Oak</a><h1>Thank you, Jonas</h1>
      ${["Order", "LO-6864-148", "Total", "€128.95", "Arrives", "Tuesday"].map((one) => `<p>${one}</p>`).join("")}`),
    "/drawn": html(`<style>label span { cursor: pointer; border: 1px solid }</style><div role=radiogroup>
      ${["Low", "High"].map((one) => `<label><input type=radio name=p><span>${one}</span></label>`).join("")}</div>`),
    "/stream": html(`<h1>Live</h1><button>Stop</button><script>fetch('/events')</script>`),
    "/events": ({ response }) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write("data: 1\n\n");
      return undefined;
    },
    "/late": html(`${people}<script>${peopleScript}fetch("/names").then((one) => one.json()).then(show)</script>`),
    "/names": after(300, '["Eve Early", "Fay Fast"]'),
    "/to-late": html(`<a href="/late">People</a><a href="/hop">Check out</a>`),
    "/hop": html(`<meta http-equiv=refresh content="0.3;url=/hop2"><p>One moment…</p>`),
    "/hop2": html(
      `<div role=progressbar style="width:20px;height:20px"></div><script>setTimeout(() => location = "/form", 1700)</script>`,
    ),
    "/form": html(`<h1>Address</h1><label>Street <input></label>`),
    "/route":
      html(`<main id=view><h1>List</h1><ul><li>One</li><li>Two</li></ul><button id=first>Open</button></main><script>
      first.onclick = async () => {
        history.pushState(null, "", "/route/1");
        view.innerHTML = "<p>…</p>";
        const [name] = await (await fetch("/names")).json();
        view.innerHTML = "<h1>" + name + "</h1><label>Note <input></label>";
      };</script>`),
    "/search": html(`${people}<script>${peopleScript}show(all); let timer;
      document.querySelector("input").oninput = ({ target }) => {
        clearTimeout(timer);
        timer = setTimeout(() => show(all.filter((one) => one.includes(target.value))), 400);
      };</script>`),
    "/given-up": html(`<button id=go>Go</button><p id=out></p><script>go.onclick = () => {
      const giveUp = new AbortController();
      fetch("/names", { signal: giveUp.signal }).catch(() => { out.textContent = "given up"; });
      setTimeout(() => giveUp.abort(), 20);
    };</script>`),
    "/frame": html(`<button id=pay>Pay</button><script>pay.onclick = () => {
      document.body.insertAdjacentHTML("beforeend", '<iframe title=Bank src="/bank" width=300 height=200></iframe>');
    };</script>`),
    "/bank": after(
      200,
      "<div id=a></div><script>setTimeout(() => { a.innerHTML = '<label>Code <input></label>' }, 200)</script>",
    ),
    "/forever": html(
      `<button id=go>Go</button><p id=out></p><script>go.onclick = () => { out.textContent = "asked"; fetch("/never?token=1"); };</script>`,
    ),
    "/never": () => undefined,
    "/sort": html(`<button id=sort>Sort</button><ol id=list><li>Pear</li><li>Apple</li><li>Fig</li></ol><script>
      sort.onclick = () => list.append(list.firstElementChild);</script>`),
    "/purge": html(`<button id=go>Delete</button><p id=out></p><script>
      go.onclick = async () => { if (!confirm("Sure?")) return; await fetch("/names"); out.textContent = "3 deleted"; };</script>`),
    "/tab": html(
      `<button id=go>Connect</button><script>go.onclick = () => { go.disabled = true; open("/form"); };</script>`,
    ),
    "/anew": html(`<ul><li><span>Shell</span> <b>€149</b></li></ul><button id=go>Code</button><script>
      go.onclick = () => { document.querySelector("ul").innerHTML =
        "<li><p>Shell, size L</p> <i>€149</i></li><li>Discount €20</li>"; };</script>`),
    "/filter": html(`<input aria-label=Filter id=q><ul role=listbox id=list></ul><script>
      const all = ["Georgia", "Ghana", "Greece", "South Georgia", "Spain", "Sweden"];
      list.innerHTML = all.map((one) => "<li role=option>" + one + "</li>").join("");
      q.oninput = () => { for (const one of [...list.children]) if (!one.textContent.includes(q.value)) one.remove(); };</script>`),
    "/clock": html(`<button id=idle>Nothing</button><p id=time></p><script>
      document.body.onclick = () => {};
      setInterval(() => { time.textContent = "it is " + Date.now(); }, 10);</script>`),
  });
});
afterAll(() => bench.close());

test("a dialog is told with its last button, and nothing of the page that it hides from screen readers", async () => {
  const page = await bench.visit("/dialog");
  await page.text("snapshot", "-i");
  const opened = (await page.text("click", "#add")).split("\n");
  expect(opened[0]).toMatch(/^clicked @e\d+ button "New person"$/);
  expect(opened.filter((line) => !/^\+ (@e\d+ textbox|heading "New person")/.test(line)).slice(1)).toEqual([
    expect.stringMatching(/^\+ @e\d+ button "Cancel"$/),
    expect.stringMatching(/^\+ @e\d+ button "Save"$/),
  ]);
  await page.text("fill", 'textbox "First name"', "Gus");
  const saved = await page.text("click", 'button "Save"');
  expect(saved).toMatch(/\+ row "Gus New active"\n\+ {3}@e\d+ button "Delete"/);
  expect(saved).toContain('- heading "New person"');
  expect(saved).not.toMatch(/Ann|"Search…"|→ ""/);
});

test("goto and a click wait for what the page asks for", async () => {
  const page = await bench.visit();
  expect(await page.text("goto", bench.site.url("/late"))).toMatch(/row "Eve Early active"\n {6}@e\d+ button "Delete"/);
  await page.run("goto", bench.site.url("/to-late"));
  expect(await page.text("click", "People")).toMatch(/new page[\s\S]*row "Fay Fast active"/);
});

test("pages that only lead to the next one are gone through", async () => {
  const page = await bench.visit("/to-late");
  expect(await page.text("click", "Check out")).toMatch(
    /url → \/form\nnew page "Test page":\n {2}heading "Address" \[level 1\]\n {2}@e\d+ textbox "Street"$/,
  );
});

test("where a router shows another view, the receipt has what is new and not what is gone", async () => {
  const page = await bench.visit("/route");
  expect((await page.text("click", "#first")).split("\n").slice(2)).toEqual([
    '+ heading "Eve Early" [level 1]',
    expect.stringMatching(/^\+ @e\d+ textbox "Note"$/),
  ]);
});

test("a search is told with what it found, although it begins late", async () => {
  const page = await bench.visit("/search");
  const found = await page.text("fill", 'textbox "Search…"', "Cid");
  expect(found.split("\n").slice(1)).toEqual(
    ["Ann Abbott", "Bob Baker", "Dan Dale"].map((name) => `- row "${name} active"`),
  );
});

test("a request that the page gives up has not failed", async () => {
  const page = await bench.visit("/given-up");
  expect((await page.text("click", "#go")).split("\n").slice(1)).toEqual(['+ "given up"']);
});

test("a frame that comes is told with what it has", async () => {
  const page = await bench.visit("/frame");
  expect(await page.text("click", "#pay")).toMatch(/\+ @e\d+ iframe\n\+ {3}@e\d+ textbox "Code"/);
});

test("a page that is not done says what it waits for, without what may be secret", async () => {
  const page = await bench.visit("/forever");
  expect((await page.text("click", "#go")).split("\n").slice(1)).toEqual([
    '+ "asked"',
    "still loading: GET /never; wait for it: wait --idle",
  ]);
});

test("another order is an effect", async () => {
  const page = await bench.visit("/sort");
  expect((await page.text("click", "#sort")).split("\n").slice(1)).toEqual(['~ order: "Apple", "Fig", "Pear"']);
});

test("a clock is no effect of a click", async () => {
  const page = await bench.visit("/clock");
  await page.text("snapshot", "-i");
  expect((await page.text("click", "Nothing")).split("\n").slice(1)).toEqual(["no observable effect"]);
});

test("of a list that was filtered, what is left is told with its refs", async () => {
  const page = await bench.visit("/filter");
  await page.text("snapshot", "-i");
  expect((await page.text("fill", "Filter", "Georgia")).split("\n").slice(1)).toEqual([
    expect.stringMatching(/^= @e\d+ option "Georgia"$/),
    expect.stringMatching(/^= @e\d+ option "South Georgia"$/),
    "… 4 more removed",
  ]);
});

test("what follows from the answer to a dialog is in the receipt", async () => {
  const page = await bench.visit("/purge");
  await page.text("dialog", "accept");
  expect(await page.text("click", "Delete")).toContain('+ "3 deleted"');
});

test("a button that opened a tab is not waited for", async () => {
  const page = await bench.visit("/tab");
  const receipt = await page.text("click", "Connect");
  expect(receipt).toContain("opened a new tab");
  expect(receipt).not.toContain("still at work");
});

test("words that are part of what is new are not told as gone, and the same words as no change", async () => {
  const page = await bench.visit("/anew");
  const receipt = await page.text("click", "Code");
  expect(receipt).toContain("Discount €20");
  expect(receipt).not.toMatch(/^- "(Shell|€149)"|"€149" → "€149"/m);
});

test("a choice and its label are one line, and so is a consent with a link in it", async () => {
  const page = await bench.visit("/choice");
  expect((await page.text("click", "button:More")).split("\n").slice(1)).toEqual([
    expect.stringMatching(/^\+ @e\d+ radio "Standard 3–5 days ?€5.90"$/),
    expect.stringMatching(/^\+ @e\d+ radio "Express next day ?€12.50"$/),
  ]);
  const lines = (await page.text("snapshot", "-i")).split("\n").map((line) => line.replace(/@e\d+ /, ""));
  expect(lines).toContain('checkbox "I accept the terms of sale" [unchecked]');
  expect(lines.filter((line) => line.includes("terms"))).toHaveLength(2);
});

test("the menu of a site is named when it is left out for the first time", async () => {
  const page = await bench.visit();
  const url = bench.site.url("/menu");
  expect(await page.text("goto", url)).toContain('in navigation ("Overview", "Parking permits", "Waste"): snapshot -i');
  expect(await page.text("goto", url)).toContain("3 more in navigation: snapshot -i");
});

test("a stream of events is not waited for as if the page were loading", async () => {
  const page = await bench.visit();
  expect(await page.text("goto", bench.site.url("/stream"))).not.toContain("still loading");
});

test("a list of the controls of a page of words says that there is more to read", async () => {
  const page = await bench.visit("/ended");
  expect((await page.text("snapshot", "-i")).split("\n")).toEqual([
    expect.stringMatching(/^@e\d+ link "Lumen & Oak"$/),
    "… 7 more to read: text",
  ]);
});

test("what is drawn beside a choice in its label has no line of its own", async () => {
  const page = await bench.visit("/drawn");
  const lines = (await page.text("snapshot", "-i")).split("\n").map((line) => line.trim().replace(/@e\d+ /, ""));
  expect(lines.filter((line) => line.includes("Low"))).toEqual(['radio "Low"']);
});
