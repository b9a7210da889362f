// A page of one partition by ElectroDB: an entity, and its cursor in the link.
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { createConversions, Entity } from "electrodb";

const Note = new Entity(
  {
    model: { entity: "note", version: "1", service: "beside" },
    attributes: {
      id: { type: "string", required: true },
      shelf: { type: "string", required: true },
      at: { type: "string", required: true },
      text: { type: "string" },
    },
    indexes: {
      byId: { pk: { field: "id", composite: ["id"], casing: "none" } },
      byShelf: {
        index: "by_shelf",
        pk: { field: "shelf", composite: ["shelf"], casing: "none" },
        sk: { field: "at", composite: ["at"], casing: "none" },
      },
    },
  },
  { client: new DynamoDBClient(), table: "beside" },
);
const { toCursor } = createConversions(Note).byAccessPattern.byShelf.fromComposite;

export async function page(shelves, link = null) {
  const [isBack, cursor] = link ? JSON.parse(link) : [false, null];
  const found = await Note.query
    .byShelf({ shelf: shelves[0] })
    .go({ order: isBack ? "asc" : "desc", limit: 20, cursor, ignoreOwnership: true });
  const items = found.data;
  if (isBack) {
    items.reverse();
    return [items, linkTo(false, toCursor(items.at(-1))), linkTo(true, found.cursor)];
  }
  const previous = link && items.length ? linkTo(true, toCursor(items[0])) : null;
  return [items, linkTo(false, found.cursor), previous];
}

function linkTo(isBack, cursor) {
  return cursor && JSON.stringify([isBack, cursor]);
}
