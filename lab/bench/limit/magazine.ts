// populate=* on the recorded magazine: an entry is written once, however often the page leads to it.
import type { MeasuredDatabase } from '../measured-databases'
import type { Ask, Row } from './database'
import { linkKinds, places, statementsFor } from './magazine-sql'
import { magazineWriters, type Write } from './magazine-write'
import { type Answer, ending, idsOf, key } from './rows'

/** Writes each entry once, wherever in the answer it comes again; `null` where nothing was joined. */
function once(write: Write): Write {
  const known = new Map<unknown, string>([[null, 'null']])
  return (row, at) => {
    let written = known.get(row[at])
    if (written === undefined) {
      written = `{${write(row, at)}}`
      known.set(row[at], written)
    }
    return written
  }
}

type Texts = Map<unknown, string>

function add(texts: Texts, parent: unknown, text: string): void {
  const before = texts.get(parent)
  texts.set(parent, before === undefined ? text : `${before},${text}`)
}

/** Each row begins with the id of its article. */
function lists(rows: readonly Row[], write: Write): Texts {
  const texts: Texts = new Map()
  for (const row of rows) add(texts, row[0], write(row, 1))
  return texts
}

/** Rows begin with an id, the name of a field and the file. */
function filesIn(rows: readonly Row[], write: Write): { readonly cover: Texts; readonly gallery: Texts } {
  const found = { cover: new Map<unknown, string>(), gallery: new Map<unknown, string>() }
  for (const row of rows) add(row[1] === 'cover' ? found.cover : found.gallery, row[0], write(row, 2))
  return found
}

/** Rows begin with the kind of link, the article and the one it leads to; `known`: the members of those on the page. */
function relatedIn(
  rows: readonly Row[],
  known: ReadonlyMap<unknown, string>,
  write: Write,
): readonly Texts[] {
  const kinds: readonly Texts[] = linkKinds.map(() => new Map<unknown, string>())
  for (const row of rows) {
    const here = known.get(row[2])
    const texts = kinds[key(row[0])]
    if (texts !== undefined) add(texts, row[1], here === undefined ? write(row, 3) : `{${here}}`)
  }
  return kinds
}

export function magazine(ask: Ask, name: MeasuredDatabase): Answer {
  const statements = statementsFor(name)
  const writers = magazineWriters(name)
  return async () => {
    const rows = await ask(statements.page)
    const ids = idsOf(rows)
    const [coAuthors, tags, countries, comments, quotes, files, articles] = await Promise.all([
      ask(statements.coAuthors, ids),
      ask(statements.tags, ids),
      ask(statements.countries, ids),
      ask(statements.comments, ids),
      ask(statements.quotes, ids),
      ask(statements.files, ids),
      ask(statements.articles, ids),
    ])
    const author = once(writers.author)
    const category = once(writers.category)
    const country = once(writers.country)
    const landing = once(writers.page)
    const seo = once(writers.seo)
    const block = once(writers.block)
    const coAuthorTexts = lists(coAuthors, author)
    const tagTexts = lists(tags, once(writers.tag))
    const countryTexts = lists(countries, country)
    const commentTexts = lists(comments, once(writers.comment))
    const quoteTexts = lists(quotes, once(writers.quote))
    const { cover, gallery } = filesIn(files, once(writers.file))
    const known = new Map(rows.map((row) => [row[0], writers.article(row, 0)]))
    const [related, by, sequel, prequel, localizations] = relatedIn(articles, known, once(writers.article))
    let body = '{"data":['
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? []
      const id = row[0]
      body += `${at === 0 ? '' : ','}{${known.get(id) ?? ''},"cover":${cover.get(id) ?? 'null'},"gallery":[${gallery.get(id) ?? ''}],"author":${author(row, places.author)},"reviewer":${author(row, places.reviewer)},"coAuthors":[${coAuthorTexts.get(id) ?? ''}],"category":${category(row, places.category)},"tags":[${tagTexts.get(id) ?? ''}],"countries":[${countryTexts.get(id) ?? ''}],"originCountry":${country(row, places.origin)},"relatedArticles":[${related?.get(id) ?? ''}],"relatedBy":[${by?.get(id) ?? ''}],"sequel":${sequel?.get(id) ?? 'null'},"prequel":${prequel?.get(id) ?? 'null'},"landingPage":${landing(row, places.landing)},"comments":[${commentTexts.get(id) ?? ''}],"seo":${seo(row, places.seo)},"quotes":[${quoteTexts.get(id) ?? ''}],"relatedBlock":${block(row, places.block)},"localizations":{"data":[${localizations?.get(id) ?? ''}]}}`
    }
    return body + ending(rows[0]?.[places.total])
  }
}
