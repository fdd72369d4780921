/**
 * Three flows as people build them, for tests that walk them with nothing but the skill text.
 *
 * - `flowRoutes()` `/team`: a single-page app with options that arrive late and toasts that leave; `/login`: a log-in,
 *   an upload and a popup; `/buy`: a chain of redirects and a pay frame of another site.
 */
import type { IncomingMessage, ServerResponse } from "node:http";

type Route = string | ((request: IncomingMessage, response: ServerResponse) => void);

const companies = ["Initech", "Initrode", "Globex", "Hooli", "Umbrella"];

const team = `<!doctype html><title>Team</title><div id="app"></div><script type="module">
const app = document.getElementById("app");
const people = [{ name: "Ann", company: "Globex" }];
const toast = (text) => {
  const box = Object.assign(document.createElement("div"), { textContent: text, className: "toast" });
  box.setAttribute("role", "status");
  document.body.append(box);
  setTimeout(() => box.remove(), 1500);
};
const views = {
  "/team": () => {
    app.innerHTML = '<h1>Team</h1><ul></ul><button class="add">Add person</button>';
    for (const { name, company } of people) {
      const row = document.createElement("li");
      row.innerHTML = "<b></b> <span></span> <button class='trash'><svg width=12 height=12></svg></button>";
      row.querySelector("b").textContent = name;
      row.querySelector("span").textContent = company;
      row.querySelector("button").onclick = () => { people.splice(people.findIndex((one) => one.name === name), 1); show(); toast(name + " was removed"); };
      app.querySelector("ul").append(row);
    }
    app.querySelector(".add").onclick = () => go("/team/new");
  },
  "/team/new": () => {
    app.innerHTML = '<h1>New person</h1><label>Name <input id="name"></label>' +
      '<label for="company">Company</label><input id="company" role="combobox" aria-expanded="false" autocomplete="off">' +
      '<div role="listbox" hidden></div><button id="save" disabled>Save</button>';
    const [company, list, save] = [app.querySelector("#company"), app.querySelector("[role=listbox]"), app.querySelector("#save")];
    let timer;
    company.oninput = () => {
      clearTimeout(timer);
      save.disabled = true;
      timer = setTimeout(async () => {
        const found = await (await fetch("/companies?q=" + encodeURIComponent(company.value))).json();
        list.replaceChildren(...found.map((text) => {
          const option = Object.assign(document.createElement("div"), { textContent: text, onmousedown: () => {
            company.value = text; list.hidden = true; save.disabled = false;
          } });
          option.setAttribute("role", "option");
          return option;
        }));
        list.hidden = false;
      }, 150);
    };
    save.onclick = async () => {
      save.disabled = true;
      await fetch("/people", { method: "POST", body: app.querySelector("#name").value });
      people.push({ name: app.querySelector("#name").value, company: company.value });
      go("/team");
      toast("Saved " + people.at(-1).name);
    };
  },
};
const show = () => views[location.pathname]();
const go = (path) => { history.pushState(null, "", path); show(); };
addEventListener("popstate", show);
show();
</script>`;

const login = `<!doctype html><title>Log in</title><h1>Log in</h1><form method="post" action="/session">
<label>Mail <input name="mail" type="email" required></label><label>Password <input name="password" type="password" required></label>
<p role="alert">{problem}</p><button>Log in</button></form>`;

const account = `<!doctype html><title>Account</title><h1>Account</h1><form id="papers">
<label class="drop">Contract <input type="file" id="file" style="opacity:0;width:1px"></label>
<progress id="bar" max="100" value="0" hidden></progress><p id="done"></p></form>
<a href="/terms" id="terms" onclick="open('/terms', 'terms', 'width=400,height=300'); return false">Read the terms</a>
<p id="state">Terms: not accepted</p><button id="finish" disabled>Finish</button>
<script>
file.onchange = async () => {
  bar.hidden = false;
  for (const value of [30, 60, 100]) { await new Promise((next) => setTimeout(next, 80)); bar.value = value; }
  await fetch("/upload", { method: "POST", body: await file.files[0].text() });
  done.textContent = file.files[0].name + " was received";
};
addEventListener("message", ({ data }) => { state.textContent = "Terms: " + data; finish.disabled = data !== "accepted"; });
finish.onclick = () => { location.href = "/finished"; };
</script>`;

const terms = `<!doctype html><title>Terms</title><h1>Terms</h1><p>Be kind.</p>
<button onclick="opener.postMessage('read', location.origin)">I have read this</button>
<button onclick="opener.postMessage('accepted', location.origin); window.close()">Accept</button>`;

const pay = (frame: string) => `<!doctype html><title>Pay</title><h1>Pay 12 €</h1>
<iframe title="Card" src="${frame}" width="400" height="200"></iframe>
<script>addEventListener("message", (event) => { location.href = "/return?result=" + encodeURIComponent(event.data); });</script>`;

const card = `<!doctype html><title>Card</title><form onsubmit="event.preventDefault(); pay()">
<label>Card number <input id="number" autocomplete="cc-number" inputmode="numeric"></label>
<label>Expires <input id="expires" placeholder="MM/YY"></label><p role="alert" id="problem"></p><button>Pay</button></form>
<script>function pay() {
  if (!/^\\d{16}$/.test(number.value)) { problem.textContent = "The card number needs 16 digits"; return; }
  problem.textContent = "";
  setTimeout(() => parent.postMessage("paid", "*"), 200);
}</script>`;

export function flowRoutes(): Readonly<Record<string, Route>> {
  let isLoggedIn = false;
  const redirect = (to: string) => (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(302, { location: to }).end();
  const page = (text: string): Route => text;
  return {
    "/team": team,
    "/team/new": team,
    "/companies": (request, response) => {
      const wanted = new URL(request.url ?? "", "http://site").searchParams.get("q")?.toLowerCase() ?? "";
      const found = companies.filter((one) => one.toLowerCase().includes(wanted));
      setTimeout(() => response.end(JSON.stringify(found)), 250);
    },
    "/people": (_, response) => void setTimeout(() => response.end("{}"), 100),
    "/login": (_, response) => response.end(login.replace("{problem}", "")),
    "/session": (request, response) => {
      let sent = "";
      request.on("data", (part) => (sent += part));
      request.on("end", () => {
        isLoggedIn = new URLSearchParams(sent).get("password") === "correct horse";
        if (isLoggedIn) response.writeHead(303, { location: "/account" }).end();
        else response.end(login.replace("{problem}", "Wrong mail or password"));
      });
    },
    "/account": (_, response) =>
      isLoggedIn ? void response.end(account) : void response.writeHead(302, { location: "/login" }).end(),
    "/upload": (_, response) => void response.end("{}"),
    "/terms": page(terms),
    "/finished": page("<!doctype html><title>Finished</title><h1>All papers are here</h1>"),
    "/buy": page(`<!doctype html><title>Cart</title><h1>Cart</h1><a href="/checkout">Check out</a>`),
    "/checkout": redirect("/checkout/2"),
    "/checkout/2": redirect("/checkout/3"),
    "/checkout/3": page(`<!doctype html><title>One moment</title><meta http-equiv="refresh" content="0;url=/pay">`),
    "/pay": (request, response) => void response.end(pay(`http://localhost:${request.socket.localPort}/card`)),
    "/card": page(card),
    "/return": redirect("/thanks"),
    "/thanks": page(`<!doctype html><title>Thanks</title><h1>Thank you</h1><p role="status">Order 4711 is paid</p>`),
  };
}
