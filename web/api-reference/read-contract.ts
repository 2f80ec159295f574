/** Reads an OpenAPI document into what a page shows of it: flat lists of fields, and the command that asks. */

import { curlOf } from "./curl.ts";
import type {
  Body,
  Example,
  Media,
  Node,
  OpenApi,
  OpenApiOperation,
  OpenApiParameter,
  Response,
  Schema,
} from "./openapi.ts";

/** A piece of text; `schema` is what it leads to. */
export type Word = { text: string; schema?: string };
export type Field = { name: string; type: Word[]; required: boolean; text: string };
export type Shown = { media: string; type: Word[]; fields: Field[]; example?: string };
export type Reply = { status: string; text: string; headers: Field[]; shown: Shown[] };
export type Operation = {
  id: string;
  method: string;
  path: string;
  title: string;
  text: string;
  /** What it takes to be let in; empty for everybody. */
  needs: string;
  parameters: (Field & { place: string })[];
  request: Shown[];
  replies: Reply[];
  curl: string;
};
export type Group = { name: string; text: string; operations: Operation[] };
export type Named = { name: string; text: string; type: Word[]; fields: Field[] };
export type Reference = { title: string; version: string; text: string; groups: Group[]; schemas: Named[] };

const METHODS = ["get", "post", "put", "patch", "delete"] as const;

export function readContract(document: OpenApi): Reference {
  const resolve = <T extends object>(node: Node<T>): T => {
    if (!("$ref" in node) || !node.$ref?.startsWith("#/")) return node as T;
    const steps = node.$ref.slice(2).split("/");
    let found: unknown = document;
    for (const step of steps) found = (found as Record<string, unknown>)[step.replaceAll("~1", "/")];
    return resolve(found as Node<T>);
  };
  const reader = new Reader(resolve);

  const groups: Group[] = document.tags.map(({ name, description }) => ({
    name,
    text: description,
    operations: [],
  }));
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation = item[method];
      if (!operation) continue;
      const parameters = [...(item.parameters ?? []), ...(operation.parameters ?? [])].map(resolve);
      const base = item.servers?.[0]?.url ?? document.servers[0]?.url ?? "/";
      const full = base === "/" ? path : base + path;
      const group = groups.find(({ name }) => name === operation.tags[0]);
      const security = operation.security ?? document.security;
      group?.operations.push(reader.operation(method, full, operation, parameters, security));
    }
  }
  const schemas = Object.entries(document.components.schemas)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, schema]) => reader.named(name, schema));
  const { title, version, description } = document.info;
  return { title, version, text: description, groups, schemas };
}

class Reader {
  private readonly resolve: <T extends object>(node: Node<T>) => T;

  constructor(resolve: <T extends object>(node: Node<T>) => T) {
    this.resolve = resolve;
  }

  operation(
    method: string,
    path: string,
    operation: OpenApiOperation,
    parameters: OpenApiParameter[],
    security: Record<string, unknown>[],
  ): Operation {
    const body = operation.requestBody && this.resolve<Body>(operation.requestBody);
    const request = this.shown(body?.content ?? {});
    return {
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      title: operation.summary,
      text: operation.description ?? "",
      needs: needsOf(security),
      parameters: parameters.map((parameter) => ({
        ...this.field(parameter.name, parameter.schema, parameter.required ?? false, parameter.description),
        place: parameter.in,
      })),
      request,
      replies: Object.entries(operation.responses).map(([status, node]) => this.reply(status, node)),
      curl: curlOf(method, path, parameters, security, this.firstOf(body?.content ?? {})),
    };
  }

  named(name: string, schema: Schema): Named {
    return { name, text: schema.description ?? "", type: this.type(schema), fields: this.fields(schema) };
  }

  private reply(status: string, node: Node<Response>): Reply {
    const { description, headers = {}, content = {} } = this.resolve(node);
    return {
      status,
      text: description,
      headers: Object.entries(headers).map(([name, header]) => {
        const { schema, required, description: text } = this.resolve(header);
        return this.field(name, schema, required ?? false, text);
      }),
      shown: this.shown(content),
    };
  }

  private shown(content: Record<string, Media>): Shown[] {
    return Object.entries(content).map(([media, { schema, ...examples }]) => {
      const value = this.exampleOf(examples);
      const shown = { media, type: this.type(schema), fields: "$ref" in schema ? [] : this.fields(schema) };
      if (value === undefined) return shown;
      return { ...shown, example: typeof value === "string" ? value : JSON.stringify(value, null, 2) };
    });
  }

  private firstOf(content: Record<string, Media>): { media: string; value: unknown } | undefined {
    const [first] = Object.entries(content);
    return first && { media: first[0], value: this.exampleOf(first[1]) };
  }

  private exampleOf({ example, examples }: Pick<Media, "example" | "examples">): unknown {
    if (example !== undefined) return example;
    const [first] = Object.values(examples ?? {});
    return first && this.resolve<Example>(first).value;
  }

  /** The fields of an object, those of objects inside it under their path. */
  private fields(schema: Schema, under = ""): Field[] {
    if (schema.allOf) return schema.allOf.flatMap((part) => (part.$ref ? [] : this.fields(part, under)));
    const inner = schema.items ?? schema.oneOf?.find((one) => one.properties);
    if (inner && !schema.properties) {
      return inner.$ref ? [] : this.fields(inner, schema.items ? `${under.replace(/\.$/, "")}[].` : under);
    }
    return Object.entries(schema.properties ?? {}).flatMap(([name, property]) => [
      this.field(under + name, property, schema.required?.includes(name) ?? false),
      ...(property.$ref ? [] : this.fields(property, `${under}${name}.`)),
    ]);
  }

  private field(name: string, schema: Schema, required: boolean, text?: string): Field {
    const words = text ?? schema.description ?? this.resolve<Schema>(schema).description ?? "";
    return { name, type: this.type(schema), required, text: words };
  }

  private type(schema: Schema): Word[] {
    if (schema.$ref) {
      const name = schema.$ref.slice(schema.$ref.lastIndexOf("/") + 1);
      return [{ text: name, schema: name }];
    }
    const choice = schema.oneOf ?? schema.anyOf;
    if (choice)
      return joined(
        choice.map((one) => this.type(one)),
        " or ",
      );
    if (schema.allOf)
      return joined(
        schema.allOf.map((one) => this.type(one)),
        " with ",
      );
    if (schema.const !== undefined) return [{ text: JSON.stringify(schema.const) }];
    if (schema.items) return [{ text: "list of " }, ...this.type(schema.items), ...limits(schema)];
    const kinds = [schema.type ?? "object"].flat().join(" or ");
    const words = schema.enum ? schema.enum.map((word) => JSON.stringify(word)).join(" | ") : kinds;
    return [{ text: words }, ...limits(schema)];
  }
}

function joined(parts: Word[][], between: string): Word[] {
  return parts.flatMap((part, index) => (index > 0 ? [{ text: between }, ...part] : part));
}

/** What a value must keep to, such as `date, at most 64 characters`. */
function limits(schema: Schema): Word[] {
  const kept: string[] = [];
  const range = (least: number | undefined, most: number | undefined, unit: string) => {
    if (least !== undefined && most !== undefined) kept.push(`${least} to ${most}${unit}`);
    else if (most !== undefined) kept.push(`at most ${most}${unit}`);
    else if (least !== undefined) kept.push(`at least ${least}${unit}`);
  };
  if (schema.format) kept.push(schema.format);
  range(schema.minLength, schema.maxLength, " characters");
  range(schema.minItems, schema.maxItems, " items");
  range(schema.minimum, schema.maximum, "");
  if (schema.exclusiveMinimum !== undefined) kept.push(`above ${schema.exclusiveMinimum}`);
  if (schema.exclusiveMaximum !== undefined) kept.push(`below ${schema.exclusiveMaximum}`);
  if (schema.pattern) kept.push(schema.pattern);
  if (schema.default !== undefined) kept.push(`${schema.default} unless told`);
  return kept.length > 0 ? [{ text: `, ${kept.join(", ")}` }] : [];
}

const NEEDS: Record<string, string> = {
  session: "an access token",
  refresh: "the refresh cookie",
  journal: "the cookie of a journal",
  applicationKey: "the key of an application",
};

function needsOf(security: Record<string, unknown>[]): string {
  const names = security.map((one) => Object.keys(one)[0]);
  const words = names.map((name) => (name ? NEEDS[name] : "nothing"));
  return words.join(" or ");
}
