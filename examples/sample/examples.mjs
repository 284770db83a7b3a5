/**
 * What the explorer offers to ask. `shows` is what to look for in the answer, as a path into its entries; `role` is
 * who asks.
 */
export const examples = [
  {
    title: 'Lists',
    queries: [
      { title: 'Articles, as they come', query: 'articles', shows: 'title' },
      { title: 'Two fields of each', query: 'articles?fields[0]=title&fields[1]=slug', shows: 'slug' },
      {
        title: 'The second page of three',
        query: 'articles?pagination[page]=2&pagination[pageSize]=3',
        shows: 'title',
      },
      {
        title: 'Five from the third on',
        query: 'cities?pagination[start]=2&pagination[limit]=5',
        shows: 'population',
      },
      { title: 'A single type', query: 'imprint', shows: 'publisher' },
    ],
  },
  {
    title: 'Relations and media',
    queries: [
      {
        title: 'Everything, one level deep',
        query: 'articles?populate=*&pagination[pageSize]=2',
        shows: 'author.name',
      },
      { title: 'One relation', query: 'articles?populate=author', shows: 'author.name' },
      {
        title: 'Several relations',
        query: 'articles?populate[0]=author&populate[1]=category&populate[2]=tags',
        shows: 'tags.name',
      },
      {
        title: 'Four levels, by a dotted path',
        query: 'articles?populate[0]=author.homeCity.walks.guide',
        shows: 'author.homeCity.walks.guide.name',
      },
      {
        title: 'Levels, by nesting',
        query: 'walks?populate[city][populate][0]=twins&populate[guide][populate][0]=portrait',
        shows: 'guide.portrait.url',
      },
      {
        title: 'A relation’s fields, sorted and filtered',
        query:
          'articles?fields[0]=title&populate[tags][fields][0]=name&populate[tags][sort][0]=name:desc&populate[tags][filters][name][$ne]=maps',
        shows: 'tags.name',
      },
      {
        title: 'Pictures',
        query: 'articles?populate[0]=cover&populate[1]=gallery',
        shows: 'cover.formats.small.url',
      },
      {
        title: 'The category tree, with articles',
        query:
          'categories?filters[parent][$null]=true&populate[children][populate][articles][fields][0]=title',
        shows: 'children.articles.title',
      },
      {
        title: 'What to read next, and before',
        query: 'articles?fields[0]=title&populate[0]=sequel&populate[1]=prequel&populate[2]=readNext',
        shows: 'readNext.title',
      },
    ],
  },
  {
    title: 'Components and zones',
    queries: [
      { title: 'A component', query: 'articles?fields[0]=title&populate[0]=seo', shows: 'seo.description' },
      {
        title: 'A component in a component in it',
        query: 'articles?fields[0]=title&populate[0]=seo.social.link&populate[1]=seo.image',
        shows: 'seo.social.link.url',
      },
      {
        title: 'Stops of a walk, with their notes',
        query: 'walks?fields[0]=name&populate[stops][populate][note][populate][0]=links',
        shows: 'stops.note.links.label',
      },
      {
        title: 'A zone, first level',
        query: 'articles?fields[0]=title&populate[0]=sections',
        shows: 'sections.__component',
      },
      {
        title: 'A zone, component by component',
        query:
          'articles?fields[0]=title&populate[sections][on][story.slideshow][populate]=*&populate[sections][on][story.route-card][populate][walk][populate][0]=city',
        shows: 'sections.walk.city.name',
      },
      {
        title: 'The homepage, put together',
        query:
          'homepage?populate[leadArticle][populate][0]=cover&populate[sections][on][story.signpost][populate][articles][fields][0]=title&populate[sections][on][story.route-card][populate][walk][populate][0]=map&populate[sections][on][story.prose][fields][0]=text',
        shows: 'sections.articles.title',
      },
    ],
  },
  {
    title: 'Filters, search and order',
    queries: [
      { title: 'Walks only', query: 'articles?filters[kind][$eq]=walk', shows: 'title' },
      { title: 'Words in a title', query: 'articles?filters[title][$containsi]=RAIN', shows: 'title' },
      {
        title: 'By people from Lisbon',
        query: 'articles?filters[author][homeCity][name][$eq]=Lisbon&populate=author',
        shows: 'author.name',
      },
      {
        title: 'Short reads or very good ones',
        query:
          'articles?filters[$or][0][readingMinutes][$lte]=5&filters[$or][1][readerScore][$gte]=4.8&sort=readerScore:desc',
        shows: 'readerScore',
      },
      {
        title: 'Published in one spring',
        query:
          'articles?filters[publishedAt][$between][0]=2024-03-01T00:00:00Z&filters[publishedAt][$between][1]=2024-05-31T23:59:59Z',
        shows: 'publishedAt',
      },
      {
        title: 'Quoted in a component',
        query: 'articles?filters[pullQuotes][year][$eq]=2024&populate=pullQuotes',
        shows: 'pullQuotes.text',
      },
      { title: 'Anything about foxes', query: 'articles?_q=foxes', shows: 'title' },
      {
        title: 'Cities, largest first',
        query: 'cities?sort=population:desc&fields[0]=name&fields[1]=population',
        shows: 'population',
      },
      {
        title: 'By author, then newest',
        query: 'articles?sort[0]=author.name&sort[1]=publishedAt:desc&populate[author][fields][0]=name',
        shows: 'author.name',
      },
    ],
  },
  {
    title: 'Languages',
    queries: [
      { title: 'In French', query: 'articles?locale=fr&populate=category', shows: 'category.name' },
      { title: 'In German', query: 'homepage?locale=de', shows: 'headline' },
      {
        title: 'In every language',
        query: 'articles?locale=*&fields[0]=title&fields[1]=locale',
        shows: 'locale',
      },
      {
        title: 'With translations',
        query: 'categories?populate=localizations',
        shows: 'localizations.data.name',
      },
    ],
  },
  {
    title: 'Roles and drafts',
    queries: [
      {
        title: 'Letters, for readers',
        query: 'letters?populate[0]=subject&populate[1]=mentions',
        shows: 'subject.name',
        role: 'reader',
      },
      {
        title: 'An article’s letters',
        query: 'articles?fields[0]=title&populate[letters][fields][0]=text',
        shows: 'letters.text',
        role: 'reader',
      },
      {
        title: 'Drafts, for editors',
        query: 'articles?status=draft&sort=updatedAt:desc',
        shows: 'title',
        role: 'editor',
      },
      {
        title: 'Never published',
        query: 'articles?status=draft&publicationFilter=never-published&populate=author',
        shows: 'author.name',
        role: 'editor',
      },
      {
        title: 'The next issue',
        query: 'issues?status=draft&publicationFilter=never-published&populate[contents][populate][0]=cover',
        shows: 'contents.cover.url',
        role: 'editor',
      },
    ],
  },
]
