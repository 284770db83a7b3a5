// One way to populate=* on the recorded magazine: what is to one is joined to the page, every list is one statement.
import type { MeasuredDatabase } from '../measured-databases'
import type { Statement } from './database'
import { fileColumns, list, statement } from './sql'

/** Beyond 2^53 a whole number is exact only as text, which PostgreSQL hands over in any case. */
const exact: Readonly<Record<MeasuredDatabase, (column: string) => string>> = {
  mariadb: (column) => `cast(${column} as char)`,
  postgres: (column) => column,
  sqlite: (column) => `cast(cast(${column} as integer) as text)`,
}

const dates = 'created_at updated_at published_at'
const columns = {
  author: `id document_id name bio email born reputation ${dates}`,
  category: `id document_id name slug position description ${dates}`,
  country: `id document_id name code population area ${dates}`,
  page: `id document_id title path ${dates}`,
  seo: 'id meta_title meta_description meta_robots priority',
  block: 'id heading',
  tag: `id document_id name color weight ${dates}`,
  comment: `id document_id text score posted_at ${dates}`,
  quote: 'id title body year said_at',
  article: `id document_id title summary body content kind contact_email slug publish_date air_time starts_at stamped_at views big_views rating price featured extra ${dates} locale`,
}

const width = (of: keyof typeof columns): number => columns[of].split(' ').length

/** Where in a row of the page that which leads to one begins. */
const author = width('article')
const reviewer = author + width('author')
const category = reviewer + width('author')
const origin = category + width('category')
const landing = origin + width('country')
const seo = landing + width('page')
const block = seo + width('seo')
const total = block + width('block')
export const places = { author, reviewer, category, origin, landing, seo, block, total }

const shown = `published_at is not null and locale = 'en'`
const joined = [
  'left join articles_author_lnk la on la.article_id = a.id left join authors au on au.id = la.author_id',
  'left join articles_reviewer_lnk lr on lr.article_id = a.id left join authors re on re.id = lr.author_id',
  'left join articles_category_lnk lc on lc.article_id = a.id left join categories c on c.id = lc.category_id and c.published_at is not null',
  'left join articles_origin_country_lnk lo on lo.article_id = a.id left join countries co on co.id = lo.country_id',
  'left join articles_landing_page_lnk lp on lp.article_id = a.id left join pages pa on pa.id = lp.page_id and pa.published_at is not null',
  `left join articles_cmps ls on ls.entity_id = a.id and ls.field = 'seo' left join components_shared_seos s on s.id = ls.cmp_id`,
  `left join articles_cmps lb on lb.entity_id = a.id and lb.field = 'relatedBlock' left join components_shared_relateds b on b.id = lb.cmp_id`,
].join(' ')

/** The ways from one article to others. */
export const linkKinds = [
  'select 0 as kind, article_id as parent, inv_article_id as id, article_ord as place from articles_related_articles_lnk where article_id in (?)',
  'select 1, inv_article_id, article_id, inv_article_ord from articles_related_articles_lnk where inv_article_id in (?)',
  'select 2, article_id, inv_article_id, 0 from articles_sequel_lnk where article_id in (?)',
  'select 3, inv_article_id, article_id, 0 from articles_sequel_lnk where inv_article_id in (?)',
  'select 4, o.id, t.id, t.id from articles o join articles t on t.document_id = o.document_id and t.id <> o.id and t.published_at is not null where o.id in (?)',
]

export interface Statements {
  readonly page: Statement
  readonly coAuthors: Statement
  readonly tags: Statement
  readonly countries: Statement
  readonly comments: Statement
  readonly quotes: Statement
  readonly files: Statement
  readonly articles: Statement
}

export function statementsFor(name: MeasuredDatabase): Statements {
  const all = (alias: string, of: keyof typeof columns): string =>
    list(alias, columns[of]).replace(/\w+\.`(?:big_views|reputation|population)`/, exact[name])
  const one = [
    all('a', 'article'),
    all('au', 'author'),
    all('re', 'author'),
    all('c', 'category'),
    all('co', 'country'),
    all('pa', 'page'),
    all('s', 'seo'),
    all('b', 'block'),
  ].join(', ')
  return {
    page: statement(
      'magazine-page',
      'nothing',
      `select ${one}, (select count(*) from articles where ${shown}) from (select id from articles where ${shown} order by id limit 25) p join articles a on a.id = p.id ${joined} order by a.id`,
    ),
    coAuthors: statement(
      'magazine-co-authors',
      'ids',
      `select l.article_id, ${all('x', 'author')} from articles_co_authors_lnk l join authors x on x.id = l.author_id where l.article_id in (?) order by l.author_ord`,
    ),
    tags: statement(
      'magazine-tags',
      'ids',
      `select l.article_id, ${all('x', 'tag')} from articles_tags_lnk l join tags x on x.id = l.tag_id where l.article_id in (?) order by l.tag_ord`,
    ),
    countries: statement(
      'magazine-countries',
      'ids',
      `select l.article_id, ${all('x', 'country')} from articles_countries_lnk l join countries x on x.id = l.country_id where l.article_id in (?) order by l.country_ord`,
    ),
    comments: statement(
      'magazine-comments',
      'ids',
      `select l.mentions_id, ${all('x', 'comment')} from comments_mentions_mph l join comments x on x.id = l.comment_id where l.mentions_id in (?) and l.mentions_type = 'api::article.article' and l.field = 'comments' order by l.\`order\``,
    ),
    quotes: statement(
      'magazine-quotes',
      'ids',
      `select l.entity_id, ${all('x', 'quote')} from articles_cmps l join components_shared_quotes x on x.id = l.cmp_id where l.entity_id in (?) and l.field = 'quotes' order by l.\`order\``,
    ),
    files: statement(
      'magazine-files',
      'ids',
      `select m.related_id, m.field, ${list('f', `${fileColumns} ${dates}`)} from files_related_mph m join files f on f.id = m.file_id where m.related_id in (?) and m.related_type = 'api::article.article' and m.field in ('cover', 'gallery') order by m.\`order\``,
    ),
    /** Articles of the page itself are read already: of those only the ids. */
    articles: statement(
      'magazine-articles',
      'ids',
      `select l.kind, l.parent, l.id, ${all('a', 'article')} from (${linkKinds.join(' union all ')}) l left join articles a on a.id = l.id and not (l.id in (?)) where a.published_at is not null or l.id in (?) order by l.place`,
    ),
  }
}
