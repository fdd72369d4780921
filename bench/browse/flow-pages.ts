/**
 * The sites of the flows, served on loopback; `127.0.0.1` and `localhost` are two origins.
 *
 * - `/crm` a single-page app: a combobox whose options arrive later, rows with equal buttons, a toast that goes after 2 s.
 * - `/login` a log-in, an account with an upload, and a popup that asks for a permission and closes itself.
 * - `/cart` a checkout through two redirects, with the card's form in a frame of another origin.
 */
const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><body>${body}</body></html>`;

const crm = page(
  "Orders",
  `<h1>Orders</h1><button id="new">New order</button><div id="form"></div>
<table><tbody id="rows"></tbody></table><div id="toast" role="status"></div>
<script>
const names = ["Acme", "Globex", "Initech", "Initrode", "Umbrella"];
const orders = ["Acme", "Globex"];
const draw = () => rows.innerHTML = orders.map((name, at) =>
  '<tr><td>' + name + '</td><td><button onclick="star(' + at + ')">Star</button> <button>Delete</button></td></tr>').join("");
const say = (text) => { toast.textContent = text; setTimeout(() => toast.textContent = "", 2000); };
window.star = (at) => setTimeout(() => say("Starred " + orders[at]), 150);
document.getElementById("new").onclick = () => {
  form.innerHTML = '<label>Customer <input id="who" role="combobox" aria-expanded="false" aria-controls="list"></label><ul id="list" role="listbox"></ul><button id="save" disabled>Save order</button>';
  who.oninput = () => setTimeout(() => {
    list.innerHTML = names.filter((name) => name.toLowerCase().startsWith(who.value.toLowerCase()))
      .map((name) => '<li role="option" tabindex="-1">' + name + '</li>').join("");
    for (const option of list.children) option.onclick = () => { who.value = option.textContent; list.innerHTML = ""; save.disabled = false; };
  }, 400);
  save.onclick = () => setTimeout(() => { orders.push(who.value); form.innerHTML = ""; draw(); say("Order for " + orders.at(-1) + " saved"); }, 200);
};
draw();
</script>`,
);

const login = page(
  "Log in",
  `<h1>Log in</h1><form method="post" action="/session"><label>Mail <input name="mail" type="email"></label>
<label>Password <input name="password" type="password"></label><button>Log in</button></form>`,
);
const account = page(
  "Your account",
  `<h1>Your account</h1><p id="said">No picture yet.</p>
<label>Picture <input id="picture" type="file"></label><button id="connect">Connect calendar</button><p id="calendar">Not connected.</p>
<script>
picture.onchange = () => setTimeout(() => said.textContent = "Uploaded " + picture.files[0].name, 300);
connect.onclick = () => window.open("/allow", "allow", "width=400,height=300");
addEventListener("message", () => calendar.textContent = "Calendar connected.");
</script>`,
);
const allow = page(
  "Allow access?",
  `<h1>Allow access?</h1><button onclick="opener.postMessage('yes', '*'); window.close()">Allow</button> <button onclick="window.close()">Cancel</button>`,
);

const cart = page("Cart", `<h1>Cart</h1><p>2 things, 41 €</p><a href="/checkout">Check out</a>`);
const pay = (port: number) =>
  page(
    "Pay",
    `<h1>Pay 41 €</h1><iframe title="Card" src="http://localhost:${port}/card" width="400" height="200"></iframe>
<script>addEventListener("message", () => location.href = "/done")</script>`,
  );
const card = page(
  "Card",
  `<label>Card number <input id="number"></label><label>Valid until <input id="until"></label>
<button onclick="if (number.value.length > 3 && until.value) setTimeout(() => parent.postMessage('paid', '*'), 250); else said.textContent = 'Fill in both fields.'">Pay now</button>
<p id="said" role="alert"></p>`,
);
const done = page("Thank you", `<h1>Thank you</h1><p>Order 4711 is paid.</p>`);

export interface FlowPages {
  url(path: "/crm" | "/login" | "/cart"): string;
  stop(): void;
}

export function serveFlows(): FlowPages {
  const documents: Record<string, string> = { "/crm": crm, "/login": login, "/account": account, "/allow": allow };
  Object.assign(documents, { "/cart": cart, "/card": card, "/done": done });
  const redirects: Record<string, string> = {
    "/session": "/account",
    "/checkout": "/checkout/start",
    "/checkout/start": "/pay",
  };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request, { port }) {
      const { pathname } = new URL(request.url);
      const to = redirects[pathname];
      if (to !== undefined) return new Response(null, { status: 303, headers: { location: to } });
      const html = pathname === "/pay" ? pay(port ?? 0) : documents[pathname];
      const headers = { "content-type": "text/html; charset=utf-8" };
      return new Response(html ?? "", { status: html === undefined ? 404 : 200, headers });
    },
  });
  return { url: (path) => `http://127.0.0.1:${server.port}${path}`, stop: () => void server.stop(true) };
}
