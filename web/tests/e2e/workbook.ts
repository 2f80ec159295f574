import { crc32 } from "node:zlib";

export type Cell = string | number;
export type Sheet = { name: string; rows: readonly (readonly Cell[])[] };

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const MAIN = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"';
const RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE = "http://schemas.openxmlformats.org/package/2006";
const TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml";

/** Creates an .xlsx file; an empty text is an absent cell. `padding` adds bytes. */
export function workbook(sheets: readonly Sheet[], padding = 0): Buffer {
  const numbered = sheets.map((sheet, index) => ({ ...sheet, number: index + 1 }));
  const kinds = numbered.map(
    ({ number }) =>
      `<Override PartName="/xl/worksheets/sheet${number}.xml" ContentType="${TYPE}.worksheet+xml"/>`,
  );
  const links = numbered.map(
    ({ number }) =>
      `<Relationship Id="rId${number}" Type="${RELATIONS}/worksheet" Target="worksheets/sheet${number}.xml"/>`,
  );
  const names = numbered.map(
    ({ name, number }) => `<sheet name="${xmlText(name)}" sheetId="${number}" r:id="rId${number}"/>`,
  );
  return zip([
    [
      "[Content_Types].xml",
      `<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="${TYPE}.sheet.main+xml"/>${kinds.join("")}</Types>`,
    ],
    [
      "_rels/.rels",
      `<Relationships xmlns="${PACKAGE}/relationships"><Relationship Id="rId1" Type="${RELATIONS}/officeDocument" Target="xl/workbook.xml"/></Relationships>`,
    ],
    [
      "xl/workbook.xml",
      `<workbook ${MAIN} xmlns:r="${RELATIONS}"><sheets>${names.join("")}</sheets></workbook>`,
    ],
    [
      "xl/_rels/workbook.xml.rels",
      `<Relationships xmlns="${PACKAGE}/relationships">${links.join("")}</Relationships>`,
    ],
    ...numbered.map(({ number, rows }): [string, string] => [
      `xl/worksheets/sheet${number}.xml`,
      `<worksheet ${MAIN}><sheetData>${rows.map(rowXml).join("")}</sheetData></worksheet>`,
    ]),
    ["docProps/padding.xml", `<padding>${" ".repeat(padding)}</padding>`],
  ]);
}

function rowXml(row: readonly Cell[], index: number): string {
  const cells = row.map((cell, column) => {
    const at = `r="${String.fromCharCode(65 + column)}${index + 1}"`;
    if (cell === "") return "";
    if (typeof cell === "number") return `<c ${at}><v>${cell}</v></c>`;
    return `<c ${at} t="inlineStr"><is><t>${xmlText(cell)}</t></is></c>`;
  });
  return `<row r="${index + 1}">${cells.join("")}</row>`;
}

function xmlText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
}

/** Creates a ZIP archive without compression. */
function zip(parts: readonly (readonly [name: string, xml: string])[]): Buffer {
  const entries: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const [name, xml] of parts) {
    const content = Buffer.from(HEAD + xml);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    // The first date of the ZIP format, 1 January 1980.
    header.writeUInt16LE(0x21, 8);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(content.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(name.length, 22);
    const entry = Buffer.concat([Buffer.from("PK\x03\x04"), header, Buffer.from(name), content]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    list.push(Buffer.from("PK\x01\x02\x14\x00"), header, rest, Buffer.from(name));
    entries.push(entry);
    offset += entry.length;
  }
  const directory = Buffer.concat(list);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...entries, directory, Buffer.from("PK\x05\x06"), end]);
}
