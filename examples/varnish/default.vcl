# Varnish before an app that mounts the router: what it keeps is right until purge.mjs says which of it is not.
vcl 4.1;

import std;

backend default {
  .host = "127.0.0.1";
  .port = "1337";
}

# Who may make it forget: the app.
acl purgers {
  "127.0.0.1";
}

sub vcl_recv {
  if (req.method == "BAN") {
    if (client.ip !~ purgers) {
      return (synth(405));
    }
    if (req.http.X-Tags !~ "^[a-zA-Z0-9_.|/\\-]+$") {
      return (synth(400));
    }
    if (!std.ban("obj.http.Cache-Tag ~ (^|,)(" + req.http.X-Tags + ")(,|$)")) {
      return (synth(500, std.ban_error()));
    }
    return (synth(200));
  }
}

sub vcl_backend_response {
  # Of what carries no tag, nobody would hear that it is old.
  if (!beresp.http.Cache-Tag) {
    set beresp.uncacheable = true;
    set beresp.ttl = 0s;
  } else {
    set beresp.grace = 0s;
  }
}

sub vcl_deliver {
  unset resp.http.Cache-Tag;
  unset resp.http.Surrogate-Key;
}
