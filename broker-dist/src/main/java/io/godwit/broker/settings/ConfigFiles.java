package io.godwit.broker.settings;

import io.godwit.broker.config.page.Reference;
import io.godwit.broker.config.page.Template;

/** The configuration file and its documentation, generated from the records of this package. */
public final class ConfigFiles {
    private static final String FILE_HEADER = """
            Configuration of a Godwit broker. Every key is listed with its default; a key that is left out or left empty
            has that default, an unknown key is an error.

            Sizes may be written with KB, MB, GB or TB (1024 bytes, and so on), durations with s, m, h or d. A value may
            name an environment variable: ${NAME}, or ${NAME:-default}. The variable
            GODWIT_SESSION_CONFIG_MAX_QUEUED_BYTES overrides sessionConfig.maxQueuedBytes, and so on.
            bin/standalone.sh check shows where each value comes from. docs/configuration.md lists bounds, names of
            variables, and what changes without a restart.
            """;

    private static final String PAGE_HEADER = """
            # Configuration

            This page lists every key of `conf/standalone.yml` and every system property, each with its default, its
            bounds and the environment variable that overrides it. This page and `conf/standalone.yml` are generated
            from the records of `io.godwit.broker.settings`.

            - A key that is left out or left empty has its default. An unknown key is an error; the broker names the
              nearest valid one. It reports all mistakes at once, each with its line.
            - Sizes may be written with KB, MB, GB or TB; KB and KiB are both 1,024 bytes, MB and MiB 1,024 of these,
              and so on. Durations may be written with s, m, h or d. A number without a unit has the unit that the name
              of its key says.
            - A value may name an environment variable: `${NAME}`, or `${NAME:-default}` if the variable may be missing
              or empty. `$${` stands for `${` itself. The content of a variable is not searched for further variables.
            - An environment variable overrides a key of the file. Its name is `GODWIT_` and the path of the key in
              capital letters. If the file has a list of sections, the name contains the index:
              `GODWIT_MQTT_SERVER_CONFIG_TCP_LISTENER_0_PORT`. An empty variable has no effect. An unknown one is an
              error, unless Kubernetes has created it for a service.
            - A system property overrides an environment variable.
            - The broker checks the file once a second. A key that changes while the broker runs applies to new
              connections; the keys of `banConfig` and `memoryConfig` apply to all. `bin/standalone.sh status` shows
              changed keys that need a restart. If the file has a mistake, nothing of it is applied, and `status` shows
              the mistakes. Certificates, users and rules are read again when their files change, log levels
              (`conf/logback.xml`) within a minute.
            - `bin/standalone.sh check` shows which values differ from the defaults, and where each comes from.
            """;

    private ConfigFiles() {}

    /** {@code conf/standalone.yml}. */
    public static String file() {
        return Template.of(FILE_HEADER, FileConfig.class, SystemProperties.class);
    }

    /** {@code docs/configuration.md}. */
    public static String page() {
        return Reference.of(PAGE_HEADER, FileConfig.class, SystemProperties.class);
    }
}
