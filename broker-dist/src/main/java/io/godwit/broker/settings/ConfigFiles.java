package io.godwit.broker.settings;

import io.godwit.broker.config.page.Reference;
import io.godwit.broker.config.page.Template;

/** The configuration file and its documentation, generated from the records of this package. */
public final class ConfigFiles {
    private static final String FILE_HEADER = """
            Configuration of a Godwit broker. Every key is listed with its default; a key that is left out or left empty
            has that default, an unknown key is an error.

            Sizes may be written with KB, MB, GB or TB (1024 bytes, and so on), durations with s, m, h or d. A value may
            name the environment: ${NAME}, or ${NAME:-default}. A variable GODWIT_SESSION_CONFIG_MAX_QUEUED_BYTES has
            the last word over sessionConfig.maxQueuedBytes, and so on. bin/standalone.sh check tells what comes from
            where. docs/configuration.md lists bounds, names of variables, and what changes without a restart.
            """;

    private static final String PAGE_HEADER = """
            # Configuration

            Every key of `conf/standalone.yml`, and every system property, with its default, its bounds and the variable
            of the environment that has the last word over it. This page and `conf/standalone.yml` are written from the
            records of `io.godwit.broker.settings`.

            - A key that is left out or left empty has its default. An unknown key is an error; the broker names the
              nearest valid one. All mistakes are told at once, each with its line.
            - Sizes may be written with KB, MB, GB or TB; KB and KiB are both 1,024 bytes, MB and MiB 1,024 of these,
              and so on. Durations may be written with s, m, h or d. A number without a unit counts what its name says.
            - A value may name the environment: `${NAME}`, or `${NAME:-default}` for a variable that may be missing or
              empty. `$${` stands for `${` itself. What a variable holds is not looked at again.
            - A variable of the environment has the last word over a key of the file: `GODWIT_` and the path in capital
              letters. Of a section that the file has a list of, it takes the index:
              `GODWIT_MQTT_SERVER_CONFIG_TCP_LISTENER_0_PORT`. An empty variable says nothing; an unknown one is an
              error, but for those that Kubernetes makes of the names of services.
            - A system property has the last word over a variable.
            - The broker looks at the file once a second. Keys that change while it runs hold for connections made from
              then on, those of `banConfig` and `memoryConfig` for all; `bin/standalone.sh status` names changed keys
              that need a restart, and the mistakes of a file that cannot be used, of which nothing is taken over.
              Certificates, users and rules are read again when their files change, log levels (`conf/logback.xml`)
              within a minute.
            - `bin/standalone.sh check` tells which values differ from the defaults, and where each is from.
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
