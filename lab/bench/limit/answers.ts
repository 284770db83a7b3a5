// One way to each answer, by hand: what is to one is joined to the page, everything else is one statement.
import type { Ask, Row, Statement } from './database'
import { readParts, zoneText } from './parts'
import { type Answer, ending, idsOf, key, remembering, texts } from './rows'
import { fileColumns, list, statement } from './sql'
import type { Writers } from './write'

const dates = 'created_at updated_at published_at'
const articleList = list(
  'a',
  `id document_id title slug summary body views rating featured released_on ${dates}`,
)
const authorList = list('au', `id document_id name email bio ${dates}`)
const categoryList = list('c', `id document_id name slug description ${dates}`)
const countryList = list('co', `id document_id name code ${dates}`)
const tagList = list('t', `id document_id name slug ${dates}`)
const fileList = list('f', `${fileColumns} ${dates}`)
const articleWidth = 13
const authorWidth = 8
const categoryWidth = 8

const published = 'a.published_at is not null'
const pageOf = (size: number): string =>
  `(select a.id from articles a where ${published} order by a.id limit ${String(size)}) p join articles a on a.id = p.id`
const withAuthor = `left join articles_author_lnk la on la.article_id = a.id left join authors au on au.id = la.author_id`
const withCategory = `left join articles_category_lnk lc on lc.article_id = a.id left join categories c on c.id = lc.category_id`
const withCountry = `left join authors_country_lnk lo on lo.author_id = au.id left join countries co on co.id = lo.country_id`

const plainPage = statement(
  'page',
  'nothing',
  `select ${articleList} from articles a where ${published} order by a.id limit 25`,
)
const total = statement('total', 'nothing', `select count(*) from articles a where ${published}`)
const simplePage = statement(
  'simple-page',
  'nothing',
  `select ${articleList}, ${authorList}, ${categoryList} from ${pageOf(25)} ${withAuthor} ${withCategory} order by a.id`,
)
const fullPage = (size: number): Statement =>
  statement(
    `full-page-${String(size)}`,
    'nothing',
    `select ${articleList}, ${authorList}, ${categoryList}, ${countryList} from ${pageOf(size)} ${withAuthor} ${withCategory} ${withCountry} order by a.id`,
  )
const deepPage = statement(
  'deep-page',
  'nothing',
  `select ${articleList} from (select a.id from articles a where ${published} order by a.id limit 25 offset 9975) p join articles a on a.id = p.id order by a.id`,
)
const tags = statement(
  'tags',
  'ids',
  `select l.article_id, ${tagList} from articles_tags_lnk l join tags t on t.id = l.tag_id where l.article_id in (?) order by l.article_id, l.tag_ord`,
)
const filesOf = (name: string, type: string, field: string): Statement =>
  statement(
    name,
    'ids',
    `select m.related_id, m.field, ${fileList} from files_related_mph m join files f on f.id = m.file_id where m.related_id in (?) and m.related_type = '${type}' and m.field in (${field}) order by m.\`order\``,
  )
const covers = filesOf('covers', 'api::article.article', `'cover'`)
const pictures = filesOf('pictures', 'api::article.article', `'cover', 'gallery'`)
const avatars = filesOf('avatars', 'api::author.author', `'avatar'`)

const lives = `a.id in (select l.article_id from articles_author_lnk l join authors_country_lnk lo on lo.author_id = l.author_id join countries co on co.id = lo.country_id where co.code = 'c07')`
const filteredPage = statement(
  'filtered-page',
  'nothing',
  `select ${articleList} from (select a.id, c.name from articles a ${withCategory} where ${published} and ${lives} order by c.name, a.id limit 25) p join articles a on a.id = p.id order by p.name, a.id`,
)
const filteredTotal = statement(
  'filtered-total',
  'nothing',
  `select count(*) from articles a where ${published} and ${lives}`,
)
const authorById = statement(
  'author',
  'value',
  `select ${authorList} from authors au where au.document_id = ?`,
)
const articlesOf = statement(
  'articles-of',
  'value',
  `select ${articleList} from articles_author_lnk l join articles a on a.id = l.article_id where l.author_id = ? and ${published} order by l.article_ord, a.id`,
)

const unending = (pageSize = 25): string =>
  `],"meta":{"pagination":{"page":1,"pageSize":${String(pageSize)}}}}`

const distinct = (ids: readonly number[]): number[] => [...new Set(ids)]

function plain(ask: Ask, { article }: Writers, page: Statement, count: Statement | null, number = 1): Answer {
  return async () => {
    const [rows, counted] = await Promise.all([ask(page), count === null ? null : ask(count)])
    let body = '{"data":['
    for (let at = 0; at < rows.length; at += 1) body += `${at === 0 ? '' : ','}{${article(rows[at] ?? [])}}`
    return body + (counted === null ? unending() : ending(counted[0]?.[0], number))
  }
}

function simple(ask: Ask, writers: Writers): Answer {
  const { article, author, category, tag, file } = writers
  return async () => {
    const counting = ask(total)
    const rows = await ask(simplePage)
    const ids = idsOf(rows)
    const [counted, tagRows, fileRows] = await Promise.all([counting, ask(tags, ids), ask(covers, ids)])
    const tagTexts = texts(
      tagRows,
      remembering((row) => tag(row, 1), 1),
    )
    const coverTexts = texts(
      fileRows,
      remembering((row) => file(row, 2), 2),
    )
    const authorText = remembering((row) => author(row, articleWidth), articleWidth)
    const categoryAt = articleWidth + authorWidth
    const categoryText = remembering((row) => category(row, categoryAt), categoryAt)
    let body = '{"data":['
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? []
      const id = key(row[0])
      body += `${at === 0 ? '' : ','}{${article(row)},"author":{${authorText(row)}},"category":{${categoryText(row)}},"tags":[${tagTexts.get(id) ?? ''}],"cover":${coverTexts.get(id) ?? 'null'}}`
    }
    return body + ending(counted[0]?.[0])
  }
}

function split(rows: readonly Row[], field: string): Row[] {
  return rows.filter((row) => row[1] === field)
}

function full(ask: Ask, writers: Writers, size: number, counts: boolean): Answer {
  const { article, author, category, country, tag, file } = writers
  const page = fullPage(size)
  const categoryAt = articleWidth + authorWidth
  const countryAt = categoryAt + categoryWidth
  return async () => {
    const counting = counts ? ask(total) : null
    const rows = await ask(page)
    const ids = idsOf(rows)
    const [counted, tagRows, fileRows, avatarRows, { seos, elements }] = await Promise.all([
      counting,
      ask(tags, ids),
      ask(pictures, ids),
      ask(avatars, distinct(idsOf(rows, articleWidth))),
      readParts(ask, ids),
    ])
    const fileText = remembering((row) => file(row, 2), 2)
    const tagTexts = texts(
      tagRows,
      remembering((row) => tag(row, 1), 1),
    )
    const coverTexts = texts(split(fileRows, 'cover'), fileText)
    const galleryTexts = texts(split(fileRows, 'gallery'), fileText)
    const avatarTexts = texts(avatarRows, fileText)
    const countryText = remembering((row) => country(row, countryAt), countryAt)
    const authorText = remembering(
      (row) =>
        `${author(row, articleWidth)},"country":{${countryText(row)}},"avatar":${avatarTexts.get(key(row[articleWidth])) ?? 'null'}`,
      articleWidth,
    )
    const categoryText = remembering((row) => category(row, categoryAt), categoryAt)
    let body = '{"data":['
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[at] ?? []
      const id = key(row[0])
      body += `${at === 0 ? '' : ','}{${article(row)},"author":{${authorText(row)}},"category":{${categoryText(row)}},"tags":[${tagTexts.get(id) ?? ''}],"cover":${coverTexts.get(id) ?? 'null'},"gallery":[${galleryTexts.get(id) ?? ''}],"seo":${seos.get(id) ?? 'null'},"zone":[${zoneText(elements.get(id))}]}`
    }
    return body + (counted === null ? unending(size) : ending(counted[0]?.[0], 1, size))
  }
}

function one(ask: Ask, { article, author }: Writers, documentId: string): Answer {
  return async () => {
    const [row = []] = await ask(authorById, documentId)
    const rows = await ask(articlesOf, key(row[0]))
    let body = `{"data":{${author(row, 0)},"articles":[`
    for (let at = 0; at < rows.length; at += 1) body += `${at === 0 ? '' : ','}{${article(rows[at] ?? [])}}`
    return `${body}]},"meta":{}}`
  }
}

export function answers(
  ask: Ask,
  writers: Writers,
  known: { readonly prolific: string; readonly lesser: string },
): Readonly<Record<string, Answer>> {
  return {
    q1: plain(ask, writers, plainPage, total),
    q1n: plain(ask, writers, plainPage, null),
    q2: simple(ask, writers),
    q3: full(ask, writers, 25, true),
    q3n: full(ask, writers, 25, false),
    q3h: full(ask, writers, 100, true),
    q5: plain(ask, writers, filteredPage, filteredTotal),
    q6: plain(ask, writers, deepPage, total, 400),
    q7: one(ask, writers, known.prolific),
    q7s: one(ask, writers, known.lesser),
  }
}
