/** Which of the two databases a request reads. */
export type Source = 'bench' | 'recorded'

export interface Asked {
  readonly name: string
  readonly title: string
  readonly source: Source
  /** One path, or many that are asked in turn. */
  readonly paths: readonly string[]
  /** Part of a short run, too. */
  readonly short: boolean
}

const authorWithAll = 'populate[author][populate][0]=country&populate[author][populate][1]=avatar'
const rest = 'populate[category]=true&populate[tags]=true&populate[cover]=true&populate[gallery]=true'
const parts = 'populate[seo][populate][0]=social&populate[zone]=true'
/** All that Q3 populates. */
export const everything = `${authorWithAll}&${rest}&${parts}`
/** Authors of about the same number of articles each. */
const authors = 'authors?pagination[page]=2&populate[articles]'
const simple = 'populate[0]=author&populate[1]=category&populate[2]=tags&populate[3]=cover'

const asked = (name: string, title: string, path: string, short = false): Asked => ({
  name,
  title,
  source: 'bench',
  paths: [`/api/${path}`],
  short,
})

/** The documents of the authors with 2,000 and with 500 articles. */
export interface Known {
  readonly prolific: string
  readonly lesser: string
}

export function requests({ prolific, lesser }: Known): readonly Asked[] {
  return [
    asked('q1', 'a plain list of 25', 'articles', true),
    asked('q1n', 'Q1 without a total', 'articles?pagination[withCount]=false'),
    asked('q2', 'author, category, tags, cover', `articles?${simple}`, true),
    asked('q3', 'everything, two levels', `articles?${everything}`, true),
    asked('q3n', 'Q3 without a total', `articles?${everything}&pagination[withCount]=false`),
    {
      name: 'q4',
      title: 'populate=* on the article of the recorded magazine',
      source: 'recorded',
      paths: ['/recorded/articles?populate=*'],
      short: true,
    },
    asked(
      'q5',
      'a filter through two relations, a sort through one',
      'articles?filters[author][country][code][$eq]=c07&sort=category.name',
      true,
    ),
    asked('q6', 'page 400 of 800', 'articles?pagination[page]=400&pagination[pageSize]=25', true),
    asked('q7', 'one author with 2,000 articles', `authors/${prolific}?populate=articles`),
    asked('q7s', 'one author with 500 articles', `authors/${lesser}?populate=articles`),
    asked('np', '25 authors, 3 articles of each', `${authors}[pagination][pageSize]=3`),
    asked('nr', '25 authors, all articles of each', `${authors}=true`),
    asked('none', 'a filter for none of a list', 'articles?filters[tags][$none][slug]=tag-7'),
    asked('count', 'a filter by how many there are in a list', 'articles?filters[tags][$count][$gte]=3'),
    asked('q3h', 'Q3, 100 entries', `articles?${everything}&pagination[pageSize]=100`),
  ]
}
