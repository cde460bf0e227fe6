package io.godwit.mqtt.transport.tls;

import io.godwit.mqtt.packet.ProtocolException;
import io.godwit.mqtt.packet.field.ReasonCode;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.List;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.net.ssl.ExtendedSSLSession;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SNIServerName;
import javax.net.ssl.SSLPeerUnverifiedException;
import javax.net.ssl.SSLSession;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** Facts about a client from its TLS handshake. */
public final class PeerName {
    private PeerName() {}

    /**
     * The user name from the client's certificate; null when none is wanted or the client showed no certificate.
     *
     * @throws ProtocolException for a certificate without such a name: the client must not choose its own name instead
     */
    public static @Nullable String of(SSLSession session, TlsConfig.UserName wanted) {
        if (wanted == TlsConfig.UserName.NONE) {
            return null;
        }
        X509Certificate certificate = certificateOf(session);
        if (certificate == null) {
            return null;
        }
        X500Principal subject = certificate.getSubjectX500Principal();
        String name =
                wanted == TlsConfig.UserName.SUBJECT ? subject.getName(X500Principal.RFC2253) : commonName(subject);
        if (name == null || name.isEmpty() || name.indexOf('\0') >= 0) {
            throw new ProtocolException(
                    ReasonCode.BAD_USER_NAME_OR_PASSWORD, "the client certificate has no name to be used");
        }
        return name;
    }

    /** The client's certificate, whose key it has proven to hold; null for none. */
    public static @Nullable X509Certificate certificateOf(SSLSession session) {
        try {
            Certificate[] chain = session.getPeerCertificates();
            return chain.length > 0 && chain[0] instanceof X509Certificate certificate ? certificate : null;
        } catch (SSLPeerUnverifiedException e) {
            return null;
        }
    }

    /** The host name that the client sent; null for none. */
    public static @Nullable String requestedHost(SSLSession session) {
        if (session instanceof ExtendedSSLSession extended) {
            for (SNIServerName name : extended.getRequestedServerNames()) {
                if (name instanceof SNIHostName host) {
                    return host.getAsciiName();
                }
            }
        }
        return null;
    }

    private static @Nullable String commonName(X500Principal subject) {
        try {
            List<Rdn> parts = new LdapName(subject.getName(X500Principal.RFC2253)).getRdns();
            for (int i = parts.size() - 1; i >= 0; i--) { // the most specific part is the last
                Attribute name = parts.get(i).toAttributes().get("cn");
                if (name != null && name.get() instanceof String text) {
                    return text;
                }
            }
            return null;
        } catch (InvalidNameException e) {
            return null;
        } catch (NamingException e) {
            return null;
        }
    }
}
