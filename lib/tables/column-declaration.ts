import type { DialectName } from '../database'
import type { PhysicalType } from '../schema'

/** The types Strapi 5 gives its columns. MariaDB takes `json` for longtext with a json_valid check, MySQL 8 has the type. */
const written: Readonly<Record<DialectName, Readonly<Record<PhysicalType, string>>>> = {
  sqlite: {
    increments: 'integer not null primary key autoincrement',
    string: 'varchar(255)',
    text: 'text',
    integer: 'integer',
    biginteger: 'bigint',
    float: 'float',
    decimal: 'float',
    boolean: 'boolean',
    date: 'date',
    time: 'time',
    datetime: 'datetime',
    timestamp: 'datetime',
    json: 'json',
    key: 'integer',
    order: 'float',
  },
  mysql: {
    increments: 'int unsigned not null auto_increment primary key',
    string: 'varchar(255)',
    text: 'longtext',
    integer: 'int',
    biginteger: 'bigint',
    float: 'double',
    decimal: 'decimal(10,2)',
    boolean: 'tinyint(1)',
    date: 'date',
    time: 'time(3)',
    datetime: 'datetime(6)',
    timestamp: 'timestamp(6)',
    json: 'json',
    key: 'int unsigned',
    order: 'double unsigned',
  },
  postgres: {
    increments: 'serial primary key',
    string: 'varchar(255)',
    text: 'text',
    integer: 'integer',
    biginteger: 'bigint',
    float: 'double precision',
    decimal: 'numeric(10,2)',
    boolean: 'boolean',
    date: 'date',
    time: 'time',
    datetime: 'timestamp(6)',
    timestamp: 'timestamp(6)',
    json: 'jsonb',
    key: 'integer',
    order: 'double precision',
  },
}

/** What a column of this type is declared as, without what makes an id an id. */
export function declaredType(dialect: DialectName, type: PhysicalType): string {
  return written[dialect][type === 'increments' ? 'key' : type]
}

/** The whole declaration behind a column's name. An explicit null keeps MySQL from making a timestamp `not null`. */
export function columnDeclaration(dialect: DialectName, type: PhysicalType): string {
  const text = written[dialect][type]
  return type === 'increments' ? text : `${text} null`
}
