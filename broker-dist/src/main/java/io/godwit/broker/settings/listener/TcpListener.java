package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Place;
import io.godwit.broker.config.key.Section;

/** A listener of {@code mqttServerConfig.tcpListener}. */
public record TcpListener(
        @Place String path,
        @ConfigKey(value = "true", text = """
                    false switches a listener off; true is meant when the section is there and says nothing.
                    """) boolean enable,

        @ConfigKey(value = "1883", min = 0, max = 65_535, text = "0 = any free port, printed at start.")
        int port,

        @Section(inline = true) ListenerKeys keys) {}
