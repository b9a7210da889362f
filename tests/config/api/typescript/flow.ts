// What a shop's front end does: read a list, write a comment and edit it, vote, place an order.
// Its types are those of the API's schema (schema.d.ts, by openapi-typescript).
import createClient from "openapi-fetch";
import type { components, paths } from "./schema.js";

declare const process: { argv: string[] };
const [address = "", key = "", product_id = ""] = process.argv.slice(2);
const headers = { Authorization: `Bearer ${key}` };
const api = createClient<paths>({ baseUrl: address, headers });
const COMMENTS = "/api/v1/products/{product_id}/comments";

function value<Data>(answer: { data?: Data; error?: components["schemas"]["Problem"] }): Data {
  if (answer.data === undefined) throw new Error(answer.error?.detail);
  return answer.data;
}

type Filter = NonNullable<paths[typeof COMMENTS]["get"]["parameters"]["query"]>;
const filter: Filter = { language: ["en", "de"], rating: [4, 5] };
const first = value(await api.GET(COMMENTS, { params: { path: { product_id }, query: filter } }));
const cursor = new URL(first.next ?? "", address).searchParams.get("cursor") ?? "";
const query: Filter = { ...filter, cursor };
const second = value(await api.GET(COMMENTS, { params: { path: { product_id }, query } }));

const header = { "Idempotency-Key": "posted-once" };
const body: components["schemas"]["DraftIn"] = { rating: 5, title: "Bright", text: "It lights up.", language: "en" };
const post = () => api.POST(COMMENTS, { params: { path: { product_id }, header }, body });
const [own, again] = [value(await post()), value(await post())];

const edit = (rating: number, version = own.version ?? 0) =>
  api.PUT("/api/v1/comments/{comment_id}", { params: { path: { comment_id: own.id } }, body: { ...body, rating, version } });
const edited = value(await edit(4));
const late = await edit(3);

const comment_id = first.items[0]?.id ?? "";
const vote = value(await api.PUT("/api/v1/votes/{comment_id}", { params: { path: { comment_id } } }));
const order = value(await api.POST("/api/v1/orders", { body: { lines: [{ product_id, quantity: 2 }] } }));

console.log(JSON.stringify({
  listed: [first.items.length, second.items.length],
  posted_once: own.id === again.id,
  rating: edited.rating,
  late: late.error?.status,
  votes: vote.helpful_votes,
  total: order.total,
}));
