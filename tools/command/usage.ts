/** How the command is written. */
export const usageHead = `Usage: content-router <command> [options]
       npx express-content-router [start] [folder] [options]`

export const usage = `${usageHead}

Commands:
  start     serve what a folder holds, with a page to try queries on: a Strapi project, or a config;
            a sample where there is neither. Reads only. Without a command, this is what is done
  migrate   create and extend the tables of the definitions; only adds, may be repeated
  check     compare the definitions with the tables; fails with all that is missing
  types     write the types of answers for TypeScript; asks no database
  openapi   write what may be asked and is answered as OpenAPI; asks no database
            unless --examples are wanted

Options:
  --config <file>            a JavaScript module that exports { contentTypes, database }
                             (default: content-router.config.js, .cjs or .mjs in this folder; but
                             for migrate, or else the Strapi project that start would find)
  --content-types <folder>   a folder of definitions, instead of a config; may be repeated
  --client <name>            better-sqlite3, mysql2 or pg; the URL of a server tells it
  --connection <where>       the file of a better-sqlite3 database, or the URL of a server; start:
                             also in place of what a Strapi project says
  --strapi5                  take the options of this preset; what the config says otherwise holds
  --port <number>            start: the port (default: a free one)
  --host <name>              start: where it listens (default: 127.0.0.1, this machine alone)
  --beside <url>             start: a running Strapi that is asked the same, to compare
  --role <name>              check: print which entries of which types the role may see, by the
                             permissions that the config holds; types, openapi: write these alone;
                             start: answer as to this role (default: everything is shown)
  --grants                   check: print the GRANT statements that let --user read the needed tables
  --user <name>              check: the database user of --grants; MySQL: reader or reader@host
  --out <file>               types, openapi: the file to write, in place of the standard output
  --url <url>                openapi: where the router is mounted (default: /)
  --examples                 openapi: show what the role is answered, by the database of the config
  --check                    types, openapi: write nothing, and fail where the file is out of date
  --watch                    types: write the file again whenever a definition changes
  --dry-run                  migrate: print the SQL and change nothing
  --strapi-database          migrate: add to the tables of a Strapi as well
  --adopt <table>            migrate: add to a table that migrate did not create; may be repeated
  -h, --help                 print this
  -v, --version              print the version of this package

Exit codes: 0 done; 1 the tables, the definitions or the types are not as they should be, or the
database cannot be reached; 2 the command line or the config file is wrong.`
