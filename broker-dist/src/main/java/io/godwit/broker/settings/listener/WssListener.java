package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.broker.config.key.Place;
import io.godwit.broker.config.key.Section;

/** A listener of {@code mqttServerConfig.wssListener}. */
public record WssListener(
        @Place String path,

        @ConfigKey(value = "true", shipped = "false", text = "As in tcpListener.")
        boolean enable,

        @ConfigKey(value = "8443", min = 0, max = 65_535, text = "As in tcpListener.")
        int port,

        @Section(inline = true, listed = false) ListenerKeys keys,
        @Section(listed = false) SslSection sslConfig,
        @Section(inline = true, listed = false) WebSocketKeys webSocket) {}
