package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Place;
import io.godwit.broker.config.key.Section;

/** A listener of {@code mqttServerConfig.tlsListener}. */
public record TlsListener(
        @Place String path,

        @ConfigKey(value = "true", shipped = "false", text = "As in tcpListener.")
        boolean enable,

        @ConfigKey(value = "8883", min = 0, max = 65_535, text = "As in tcpListener.")
        int port,

        @Section(inline = true, listed = false) ListenerKeys keys,
        @Section(text = """
                    Files are PEM, named relative to this file's directory. They are read again within seconds when
                    they change: new connections get the new ones, those that stand go on; files that cannot be used
                    change nothing and are reported.
                    """) SslSection sslConfig) {}
