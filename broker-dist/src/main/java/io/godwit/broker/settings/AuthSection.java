package io.godwit.broker.settings;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Unit;
import java.util.List;

/** {@code authConfig}. */
public record AuthSection(
        @ConfigKey(text = """
                    file: the users of a file; allow-all: everybody; jwt, http or x509 (docs/authentication.md); or
                    the name of a plugin. Empty: everybody, but see "host" above.
                    """) String provider,
        @ConfigKey(text = """
                    Several providers in the place of one: the first that accepts or refuses a client decides, the
                    next is asked only when one does not know the client. Who lets a client in is asked what it may
                    do. A failure refuses. docs/authentication.md tells more. An example: [file, jwt, http]
                    """) List<String> providers,
        @ConfigKey(value = "passwd", text = """
                    Users and their passwords, edited by bin/godwit-passwd. Noticed when it changes, as is the next
                    one.
                    """) String file,
        @ConfigKey(text = """
                    Rules of who may publish and subscribe to what. Empty: every user may do everything. Only the
                    provider file reads them; with another one, or with none, they are an error.
                    """) String aclFile,

        @ConfigKey(value = "false", text = "Whether a client may come without a user name.")
        boolean allowAnonymous,

        @ConfigKey(value = "drop", reload = true, text = """
                    What becomes of a publish that is not allowed: drop (MQTT 5.0 is told at QoS 1 and 2, before 5.0
                    it is acknowledged) or disconnect.
                    """)
        DeniedPublish deniedPublish,

        @ConfigKey(value = "true", text = """
                    Whether a client id, while it is connected or has a stored session, is out of reach of other
                    users: a client that comes with it as another user is refused (0x87; under MQTT 3.1.1 5). Means
                    nothing where user names are not verified. docs/security.md tells more.
                    """) boolean sessionsBelongToUsers,

        @ConfigKey(
                value = "10",
                min = 1,
                max = 3_600,
                unit = Unit.SECONDS,
                reload = true,
                text = "An auth provider that does not answer in this time denies.")
        int timeoutSeconds,

        @ConfigKey(value = "0", min = 0, max = 1_024, text = """
                    Threads that compute password hashes (0 = one per two cores), and logins that wait for them
                    before more are refused as "server busy". Sources are served in turn; when the queue is full,
                    the newest of the source with the most in it give way to others. Half of it, and every other
                    turn, is for sources that a right password came from before.
                    """)
        int passwordThreads,

        @ConfigKey(value = "500", min = 1, max = 1_000_000) int passwordQueue,

        @ConfigKey(value = "300", min = 0, max = 86_400, unit = Unit.SECONDS, text = """
                    How long a password found right is not computed again; 0 = not at all.
                    """)
        int passwordCacheSeconds) {}
