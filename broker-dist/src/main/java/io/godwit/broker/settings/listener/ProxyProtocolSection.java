package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.mqtt.transport.config.AddressRange;
import java.util.List;

/** {@code proxyProtocol} of a listener. */
public record ProxyProtocolSection(
        @ConfigKey(value = "false", text = "Whether connections from proxies begin with a PROXY header.")
        boolean enable,

        @ConfigKey(text = """
                    The proxies, as addresses or ranges: 10.0.0.0/8, fd00::/8. A connection from one of them must
                    begin with a PROXY header; one from anywhere else must not, and is refused when it does.
                    """) List<AddressRange> from) {}
