import { type Book, bookName, brokerName, tradeTypeName } from "#content/books.ts";

/** A file of another book than chosen: what it is, and what to do with it. */
export function mismatchWords(chosen: Book, found: Book): { question: string; yes: string } {
  if (chosen.tradetype === found.tradetype)
    return words(`a ${brokerName(found.broker)} file`, brokerName(found.broker));
  if (chosen.broker === found.broker) {
    return words(`a file of ${tradeTypeName(found.tradetype)} trades`, tradeTypeName(found.tradetype));
  }
  return words(
    `a ${brokerName(found.broker)} file of ${tradeTypeName(found.tradetype)} trades`,
    bookName(found),
  );
}

function words(what: string, name: string) {
  return { question: `This is ${what}. Import it as ${name}?`, yes: `Import as ${name}` };
}
