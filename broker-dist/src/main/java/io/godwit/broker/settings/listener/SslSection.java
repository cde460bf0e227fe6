package io.godwit.broker.settings.listener;

import io.godwit.broker.config.key.ConfigKey;
import io.godwit.mqtt.transport.tls.TlsConfig.ClientCertificate;
import io.godwit.mqtt.transport.tls.TlsConfig.Engine;
import io.godwit.mqtt.transport.tls.TlsConfig.UserName;
import java.util.List;

/** {@code sslConfig} of a listener. */
public record SslSection(
        @ConfigKey(text = "The server's certificate, followed by those between it and its root.")
        String certFile,

        @ConfigKey(text = "Its private key, not encrypted.") String keyFile,
        @ConfigKey(value = "none", text = """
                    Whether clients show a certificate: none, optional or require. One that is shown must be valid
                    in any case.
                    """) ClientCertificate clientAuth,

        @ConfigKey(text = "The authorities that issue clients' certificates.")
        String trustCertsFile,

        @ConfigKey(text = """
                    Revocation lists, one for every authority that a client's certificate hangs on. With this file,
                    a certificate whose authority has no list in it, or one that is out of date, is refused too.
                    """) String crlFile,
        @ConfigKey(value = "none", text = """
                    What of a client's certificate becomes its user name, whatever it says in CONNECT: none, subject
                    (as in CN=name,O=birds) or cn. A certificate without it is refused; a client without certificate
                    (optional) has the name of its CONNECT.
                    """) UserName userName,

        @ConfigKey(
                value = "TLSv1.2, TLSv1.3",
                check = ListenerChecks.Protocol.class,
                text = "Out of TLSv1.2 and TLSv1.3.")
        List<String> protocols,

        @ConfigKey(text = """
                    Names such as TLS_AES_128_GCM_SHA256; empty for the provider's own choice.
                    """) List<String> ciphers,

        @ConfigKey(value = "auto", text = "auto (BoringSSL where it loads, else the JDK), boringssl or jdk.")
        Engine provider) {}
