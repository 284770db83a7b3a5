/**
 * The queries of the front page. `shows` is what to look for in the answer, as a path into its entries; `role` is
 * who asks.
 */
export const groups = [
  {
    title: 'Lists',
    examples: [
      { title: 'Articles, as they come', path: 'articles', shows: 'title' },
      { title: 'Two fields of each', path: 'articles?fields[0]=title&fields[1]=slug', shows: 'slug' },
      {
        title: 'The second page of three',
        path: 'articles?pagination[page]=2&pagination[pageSize]=3',
        shows: 'title',
      },
      {
        title: 'Five from the third on',
        path: 'cities?pagination[start]=2&pagination[limit]=5',
        shows: 'population',
      },
      { title: 'A single type', path: 'imprint', shows: 'publisher' },
    ],
  },
  {
    title: 'Relations and media',
    examples: [
      {
        title: 'Everything, one level deep',
        path: 'articles?populate=*&pagination[pageSize]=2',
        shows: 'author.name',
      },
      { title: 'One relation', path: 'articles?populate=author', shows: 'author.name' },
      {
        title: 'Several relations',
        path: 'articles?populate[0]=author&populate[1]=category&populate[2]=tags',
        shows: 'tags.name',
      },
      {
        title: 'Four levels, by a dotted path',
        path: 'articles?populate[0]=author.homeCity.walks.guide',
        shows: 'author.homeCity.walks.guide.name',
      },
      {
        title: 'Levels, by nesting',
        path: 'walks?populate[city][populate][0]=twins&populate[guide][populate][0]=portrait',
        shows: 'guide.portrait.url',
      },
      {
        title: 'A relation’s fields, sorted and filtered',
        path: 'articles?fields[0]=title&populate[tags][fields][0]=name&populate[tags][sort][0]=name:desc&populate[tags][filters][name][$ne]=maps',
        shows: 'tags.name',
      },
      {
        title: 'Pictures',
        path: 'articles?populate[0]=cover&populate[1]=gallery',
        shows: 'cover.formats.small.url',
      },
      {
        title: 'The category tree, with articles',
        path: 'categories?filters[parent][$null]=true&populate[children][populate][articles][fields][0]=title',
        shows: 'children.articles.title',
      },
      {
        title: 'What to read next, and before',
        path: 'articles?fields[0]=title&populate[0]=sequel&populate[1]=prequel&populate[2]=readNext',
        shows: 'readNext.title',
      },
    ],
  },
  {
    title: 'Components and zones',
    examples: [
      { title: 'A component', path: 'articles?fields[0]=title&populate[0]=seo', shows: 'seo.description' },
      {
        title: 'A component in a component in it',
        path: 'articles?fields[0]=title&populate[0]=seo.social.link&populate[1]=seo.image',
        shows: 'seo.social.link.url',
      },
      {
        title: 'Stops of a walk, with their notes',
        path: 'walks?fields[0]=name&populate[stops][populate][note][populate][0]=links',
        shows: 'stops.note.links.label',
      },
      {
        title: 'A zone, first level',
        path: 'articles?fields[0]=title&populate[0]=sections',
        shows: 'sections.__component',
      },
      {
        title: 'A zone, component by component',
        path: 'articles?fields[0]=title&populate[sections][on][story.slideshow][populate]=*&populate[sections][on][story.route-card][populate][walk][populate][0]=city',
        shows: 'sections.walk.city.name',
      },
      {
        title: 'The homepage, put together',
        path: 'homepage?populate[leadArticle][populate][0]=cover&populate[sections][on][story.signpost][populate][articles][fields][0]=title&populate[sections][on][story.route-card][populate][walk][populate][0]=map&populate[sections][on][story.prose][fields][0]=text',
        shows: 'sections.articles.title',
      },
    ],
  },
  {
    title: 'Filters, search and order',
    examples: [
      { title: 'Walks only', path: 'articles?filters[kind][$eq]=walk', shows: 'title' },
      { title: 'Words in a title', path: 'articles?filters[title][$containsi]=RAIN', shows: 'title' },
      {
        title: 'By people from Lisbon',
        path: 'articles?filters[author][homeCity][name][$eq]=Lisbon&populate=author',
        shows: 'author.name',
      },
      {
        title: 'Short reads or very good ones',
        path: 'articles?filters[$or][0][readingMinutes][$lte]=5&filters[$or][1][readerScore][$gte]=4.8&sort=readerScore:desc',
        shows: 'readerScore',
      },
      {
        title: 'Published in one spring',
        path: 'articles?filters[publishedAt][$between][0]=2024-03-01T00:00:00Z&filters[publishedAt][$between][1]=2024-05-31T23:59:59Z',
        shows: 'publishedAt',
      },
      {
        title: 'Quoted in a component',
        path: 'articles?filters[pullQuotes][year][$eq]=2024&populate=pullQuotes',
        shows: 'pullQuotes.text',
      },
      { title: 'Anything about foxes', path: 'articles?_q=foxes', shows: 'title' },
      {
        title: 'Cities, largest first',
        path: 'cities?sort=population:desc&fields[0]=name&fields[1]=population',
        shows: 'population',
      },
      {
        title: 'By author, then newest',
        path: 'articles?sort[0]=author.name&sort[1]=publishedAt:desc&populate[author][fields][0]=name',
        shows: 'author.name',
      },
    ],
  },
  {
    title: 'Languages',
    examples: [
      { title: 'In French', path: 'articles?locale=fr&populate=category', shows: 'category.name' },
      { title: 'In German', path: 'homepage?locale=de', shows: 'headline' },
      {
        title: 'In every language',
        path: 'articles?locale=*&fields[0]=title&fields[1]=locale',
        shows: 'locale',
      },
      {
        title: 'With translations',
        path: 'categories?populate=localizations',
        shows: 'localizations.data.name',
      },
    ],
  },
  {
    title: 'Roles and drafts',
    examples: [
      {
        title: 'Letters, for readers',
        path: 'letters?populate[0]=subject&populate[1]=mentions',
        shows: 'subject.name',
        role: 'reader',
      },
      {
        title: 'An article’s letters',
        path: 'articles?fields[0]=title&populate[letters][fields][0]=text',
        shows: 'letters.text',
        role: 'reader',
      },
      {
        title: 'Drafts, for editors',
        path: 'articles?status=draft&sort=updatedAt:desc',
        shows: 'title',
        role: 'editor',
      },
      {
        title: 'Never published',
        path: 'articles?status=draft&publicationFilter=never-published&populate=author',
        shows: 'author.name',
        role: 'editor',
      },
      {
        title: 'The next issue',
        path: 'issues?status=draft&publicationFilter=never-published&populate[contents][populate][0]=cover',
        shows: 'contents.cover.url',
        role: 'editor',
      },
    ],
  },
]

export const types = [
  ['articles', 'Articles', 'in three languages'],
  ['walks', 'Walks', 'routes, stops and maps'],
  ['cities', 'Cities', 'where it all happens'],
  ['authors', 'Authors', 'who walks and writes'],
  ['categories', 'Categories', 'a tree of two levels'],
  ['tags', 'Tags', 'nine words'],
  ['issues', 'Issues', 'the magazine on paper'],
  ['letters', 'Letters', 'not for everybody', 'reader'],
  ['homepage', 'Homepage', 'a single type'],
  ['imprint', 'Imprint', 'another one'],
]
