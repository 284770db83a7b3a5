const type = (
  table: string,
  [singularName, pluralName]: readonly [string, string],
  attributes: object,
): object => ({
  kind: 'collectionType',
  collectionName: table,
  info: { singularName, pluralName },
  table: { id: `${table}Id` },
  attributes,
})

const to = (target: string, joinColumn: string, inversedBy?: string): object => ({
  type: 'relation',
  relation: 'manyToOne',
  target,
  joinColumn: { name: joinColumn },
  ...(inversedBy === undefined ? {} : { inversedBy }),
})

const from = (target: string, mappedBy: string): object => ({
  ...{ type: 'relation', relation: 'oneToMany' },
  ...{ target, mappedBy },
})

const column = (columnName: string, kind: string): object => ({ type: kind, columnName })

/** Five tables, in the form in which a person would write them. */
export const chinookByHand = [
  type('Artist', ['artist', 'artists'], { name: column('Name', 'string'), albums: from('album', 'artist') }),
  type('Album', ['album', 'albums'], {
    title: column('Title', 'string'),
    artist: to('artist', 'ArtistId', 'albums'),
    tracks: from('track', 'album'),
  }),
  type('Genre', ['genre', 'genres'], { name: column('Name', 'string') }),
  type('Playlist', ['playlist', 'playlists'], {
    name: column('Name', 'string'),
    tracks: {
      ...{ type: 'relation', relation: 'manyToMany', target: 'track', inversedBy: 'playlists' },
      joinTable: {
        name: 'PlaylistTrack',
        joinColumn: { name: 'PlaylistId' },
        inverseJoinColumn: { name: 'TrackId' },
      },
    },
  }),
  type('Track', ['track', 'tracks'], {
    name: column('Name', 'string'),
    composer: column('Composer', 'string'),
    milliseconds: column('Milliseconds', 'integer'),
    bytes: column('Bytes', 'integer'),
    unitPrice: column('UnitPrice', 'decimal'),
    album: to('album', 'AlbumId', 'tracks'),
    genre: to('genre', 'GenreId'),
    playlists: { type: 'relation', relation: 'manyToMany', target: 'playlist', mappedBy: 'tracks' },
  }),
]
