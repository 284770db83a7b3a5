// Made by: content-router types --content-types content-types --out spec/extensions/client/sample-content.ts
// Do not change it: make it again.

export interface Content {
  articles: {
    uid: 'api::article.article'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published' | 'draft'
    mayBeDraft: true
    scalars: {
      id: number
      documentId: string
      title: string
      slug: string | null
      standfirst: string | null
      body: string | null
      transcript: unknown
      kind: 'essay' | 'walk' | 'interview' | 'notebook' | null
      pitchedOn: string | null
      embargoUntil: string | null
      lastEditedAt: string | null
      readingMinutes: number | null
      reads: string | null
      readerScore: number | null
      fee: number | null
      featured: boolean | null
      sources: unknown
      createdAt: string
      updatedAt: string
      publishedAt: string | null
      locale: string
    }
    compares: {
      transcript: 'presence'
      embargoUntil: 'day'
      lastEditedAt: 'day'
      readerScore: 'value'
      fee: 'value'
      featured: 'value'
      sources: 'presence'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      cover: { to: 'plugin::upload.file'; many: false }
      gallery: { to: 'plugin::upload.file'; many: true }
      author: { to: 'authors'; many: false }
      translators: { to: 'authors'; many: true }
      factChecker: { to: 'authors'; many: false }
      category: { to: 'categories'; many: false }
      tags: { to: 'tags'; many: true }
      cities: { to: 'cities'; many: true }
      writtenIn: { to: 'cities'; many: false }
      walk: { to: 'walks'; many: false }
      readNext: { to: 'articles'; many: true }
      readFrom: { to: 'articles'; many: true }
      sequel: { to: 'articles'; many: false }
      prequel: { to: 'articles'; many: false }
      letters: { to: 'letters'; many: true }
      seo: { to: 'shared.seo'; many: false }
      pullQuotes: { to: 'shared.quote'; many: true }
      sections: { zone: 'story.prose' | 'shared.quote' | 'story.slideshow' | 'story.route-card' | 'story.signpost'; unlisted: 'stub' }
      localizations: { to: 'articles'; many: true; wrapped: true }
    }
    unique: 'slug'
  }
  authors: {
    uid: 'api::author.author'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      name: string
      slug: string | null
      role: 'writer' | 'photographer' | 'editor' | 'translator' | null
      bio: string | null
      joinedOn: string | null
      kilometresWalked: number | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      kilometresWalked: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      portrait: { to: 'plugin::upload.file'; many: false }
      links: { to: 'shared.link'; many: true }
      homeCity: { to: 'cities'; many: false }
      articles: { to: 'articles'; many: true }
      pinnedLetter: { to: 'letters'; many: false }
    }
    unique: 'slug'
  }
  categories: {
    uid: 'api::category.category'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published' | 'draft'
    mayBeDraft: true
    scalars: {
      id: number
      documentId: string
      name: string
      slug: string | null
      description: string | null
      position: number | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
      locale: string
    }
    compares: {
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      parent: { to: 'categories'; many: false }
      children: { to: 'categories'; many: true }
      articles: { to: 'articles'; many: true }
      localizations: { to: 'categories'; many: true; wrapped: true }
    }
    unique: 'slug'
  }
  cities: {
    uid: 'api::city.city'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      name: string
      country: string | null
      motto: string | null
      population: string | null
      latitude: number | null
      longitude: number | null
      walkable: boolean | null
      transit: unknown
      createdAt: string
      updatedAt: string
      publishedAt: string | null
      locale: string
    }
    compares: {
      latitude: 'value'
      longitude: 'value'
      walkable: 'value'
      transit: 'presence'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      skyline: { to: 'plugin::upload.file'; many: false }
      residents: { to: 'authors'; many: true }
      walks: { to: 'walks'; many: true }
      twins: { to: 'cities'; many: true }
      twinOf: { to: 'cities'; many: true }
      letters: { to: 'letters'; many: true }
      localizations: { to: 'cities'; many: true; wrapped: true }
    }
    unique: never
  }
  homepage: {
    uid: 'api::homepage.homepage'
    kind: 'single'
    reads: 'find'
    asked: 'freely'
    status: 'published' | 'draft'
    mayBeDraft: true
    scalars: {
      id: number
      documentId: string
      headline: string
      greeting: string | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
      locale: string
    }
    compares: {
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      leadArticle: { to: 'articles'; many: false }
      currentIssue: { to: 'issues'; many: false }
      seo: { to: 'shared.seo'; many: false }
      sections: { zone: 'story.prose' | 'story.signpost' | 'shared.quote' | 'story.route-card'; unlisted: 'stub' }
      localizations: { to: 'homepage'; many: true; wrapped: true }
    }
    unique: never
  }
  imprint: {
    uid: 'api::imprint.imprint'
    kind: 'single'
    reads: 'find'
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      publisher: string
      address: string | null
      contact: string | null
      telephone: string | null
      foundedOn: string | null
      officeOpensAt: string | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      officeOpensAt: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      editorInChief: { to: 'authors'; many: false }
      links: { to: 'shared.link'; many: true }
    }
    unique: never
  }
  issues: {
    uid: 'api::issue.issue'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published' | 'draft'
    mayBeDraft: true
    scalars: {
      id: number
      documentId: string
      title: string
      number: number
      season: 'winter' | 'spring' | 'summer' | 'autumn' | null
      price: number | null
      releasedOn: string | null
      printRun: string | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      price: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      cover: { to: 'plugin::upload.file'; many: false }
      editor: { to: 'authors'; many: false }
      contents: { to: 'articles'; many: true }
    }
    unique: never
  }
  letters: {
    uid: 'api::letter.letter'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      signedBy: string
      text: string
      receivedAt: string | null
      answered: boolean | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      receivedAt: 'day'
      answered: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      subject: { any: { 'api::article.article': 'articles'; 'api::author.author': 'authors'; 'api::category.category': 'categories'; 'api::city.city': 'cities'; 'api::homepage.homepage': 'homepage'; 'api::imprint.imprint': 'imprint'; 'api::issue.issue': 'issues'; 'api::letter.letter': 'letters'; 'api::tag.tag': 'tags'; 'api::walk.walk': 'walks'; 'plugin::users-permissions.user': 'plugin::users-permissions.user'; 'plugin::users-permissions.role': 'plugin::users-permissions.role' }; many: false }
      mentions: { any: { 'api::article.article': 'articles'; 'api::author.author': 'authors'; 'api::category.category': 'categories'; 'api::city.city': 'cities'; 'api::homepage.homepage': 'homepage'; 'api::imprint.imprint': 'imprint'; 'api::issue.issue': 'issues'; 'api::letter.letter': 'letters'; 'api::tag.tag': 'tags'; 'api::walk.walk': 'walks'; 'plugin::users-permissions.user': 'plugin::users-permissions.user'; 'plugin::users-permissions.role': 'plugin::users-permissions.role' }; many: true }
    }
    unique: never
  }
  tags: {
    uid: 'api::tag.tag'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      name: string
      slug: string | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      articles: { to: 'articles'; many: true }
    }
    unique: 'name' | 'slug'
  }
  walks: {
    uid: 'api::walk.walk'
    kind: 'collection'
    reads: 'find' | 'findOne'
    asked: 'freely'
    status: 'published' | 'draft'
    mayBeDraft: true
    scalars: {
      id: number
      documentId: string
      name: string
      slug: string | null
      summary: string | null
      difficulty: 'stroll' | 'half-day' | 'full-day' | null
      kilometres: number | null
      ascent: number | null
      setOffAt: string | null
      surveyedAt: string | null
      stepFree: boolean | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      kilometres: 'value'
      setOffAt: 'value'
      surveyedAt: 'day'
      stepFree: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      map: { to: 'plugin::upload.file'; many: false }
      photos: { to: 'plugin::upload.file'; many: true }
      city: { to: 'cities'; many: false }
      guide: { to: 'authors'; many: false }
      article: { to: 'articles'; many: false }
      stops: { to: 'walk.stop'; many: true }
    }
    unique: 'slug'
  }
  'plugin::upload.file': {
    uid: 'plugin::upload.file'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      name: string
      alternativeText: string | null
      caption: string | null
      focalPoint: unknown
      width: number | null
      height: number | null
      formats: unknown
      hash: string
      ext: string | null
      mime: string
      size: number
      url: string
      previewUrl: string | null
      provider: string
      provider_metadata: unknown
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      focalPoint: 'presence'
      formats: 'presence'
      size: 'value'
      provider_metadata: 'presence'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      related: { any: { 'api::article.article': 'articles'; 'api::author.author': 'authors'; 'api::category.category': 'categories'; 'api::city.city': 'cities'; 'api::homepage.homepage': 'homepage'; 'api::imprint.imprint': 'imprint'; 'api::issue.issue': 'issues'; 'api::letter.letter': 'letters'; 'api::tag.tag': 'tags'; 'api::walk.walk': 'walks'; 'plugin::users-permissions.user': 'plugin::users-permissions.user'; 'plugin::users-permissions.role': 'plugin::users-permissions.role' }; many: true }
    }
    unique: never
  }
  'plugin::users-permissions.role': {
    uid: 'plugin::users-permissions.role'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      name: string | null
      description: string | null
      type: string | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      users: { to: 'plugin::users-permissions.user'; many: true }
    }
    unique: never
  }
  'plugin::users-permissions.user': {
    uid: 'plugin::users-permissions.user'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: false
    scalars: {
      id: number
      documentId: string
      username: string | null
      email: string | null
      provider: string | null
      confirmed: boolean | null
      blocked: boolean | null
      createdAt: string
      updatedAt: string
      publishedAt: string | null
    }
    compares: {
      confirmed: 'value'
      blocked: 'value'
      createdAt: 'day'
      updatedAt: 'day'
      publishedAt: 'day'
    }
    links: {
      role: { to: 'plugin::users-permissions.role'; many: false }
    }
    unique: never
  }
  'shared.link': {
    uid: 'shared.link'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      label: string
      url: string
      external: boolean | null
    }
    compares: {
      external: 'value'
    }
    unique: never
  }
  'shared.quote': {
    uid: 'shared.quote'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      text: string
      saidBy: string | null
      year: number | null
    }
    links: {
      speaker: { to: 'authors'; many: false }
    }
    unique: never
  }
  'shared.seo': {
    uid: 'shared.seo'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      title: string | null
      description: string | null
      noIndex: boolean | null
    }
    compares: {
      noIndex: 'value'
    }
    links: {
      image: { to: 'plugin::upload.file'; many: false }
      social: { to: 'shared.social'; many: false }
    }
    unique: never
  }
  'shared.social': {
    uid: 'shared.social'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      headline: string | null
      network: 'any' | 'mastodon' | 'bluesky' | null
    }
    links: {
      image: { to: 'plugin::upload.file'; many: false }
      link: { to: 'shared.link'; many: false }
    }
    unique: never
  }
  'story.prose': {
    uid: 'story.prose'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      heading: string | null
      text: string | null
    }
    unique: never
  }
  'story.route-card': {
    uid: 'story.route-card'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      intro: string | null
    }
    links: {
      walk: { to: 'walks'; many: false }
    }
    unique: never
  }
  'story.signpost': {
    uid: 'story.signpost'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      heading: string | null
    }
    links: {
      articles: { to: 'articles'; many: true }
      links: { to: 'shared.link'; many: true }
    }
    unique: never
  }
  'story.slideshow': {
    uid: 'story.slideshow'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      title: string | null
      seconds: number | null
    }
    links: {
      pictures: { to: 'plugin::upload.file'; many: true }
    }
    unique: never
  }
  'walk.note': {
    uid: 'walk.note'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      text: string | null
      stepFree: boolean | null
    }
    compares: {
      stepFree: 'value'
    }
    links: {
      links: { to: 'shared.link'; many: true }
    }
    unique: never
  }
  'walk.stop': {
    uid: 'walk.stop'
    kind: 'part'
    reads: never
    asked: 'freely'
    status: 'published'
    mayBeDraft: true
    scalars: {
      id: number
      documentId?: string
      name: string
      kilometre: number | null
      opensAt: string | null
    }
    compares: {
      kilometre: 'value'
      opensAt: 'value'
    }
    links: {
      note: { to: 'walk.note'; many: false }
      city: { to: 'cities'; many: false }
    }
    unique: never
  }
}
