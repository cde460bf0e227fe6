package io.godwit.broker.auth.x509;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/** Names in a certificate. A name that occurs more than once counts as missing, since the right one is unclear. */
final class CertificateNames {
    private static final int MAX_CHARS = 65_535;

    private CertificateNames() {}

    /** The whole subject, in the format of RFC 2253. */
    static Optional<String> subject(X509Certificate certificate) {
        return valid(certificate.getSubjectX500Principal().getName(X500Principal.RFC2253));
    }

    /** @param type an attribute such as {@code cn}, {@code o} or {@code ou} */
    static Optional<String> ofSubject(X509Certificate certificate, String type) {
        List<String> found = new ArrayList<>();
        try {
            String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
            for (Rdn part : new LdapName(subject).getRdns()) {
                Attribute attribute = part.toAttributes().get(type);
                for (int i = 0; attribute != null && i < attribute.size(); i++) {
                    found.add(attribute.get(i) instanceof String text ? text : "");
                }
            }
        } catch (NamingException e) {
            return Optional.empty();
        }
        return found.size() == 1 ? valid(found.get(0)) : Optional.empty();
    }

    /** @param type of a general name (RFC 5280, 4.2.1.6): 1 is e-mail, 2 is DNS, 6 is URI */
    static Optional<String> alternative(X509Certificate certificate, int type) {
        List<String> found = new ArrayList<>();
        try {
            Collection<List<?>> names = certificate.getSubjectAlternativeNames();
            if (names != null) {
                for (List<?> name : names) {
                    if (Integer.valueOf(type).equals(name.get(0)) && name.get(1) instanceof String text) {
                        found.add(text);
                    }
                }
            }
        } catch (CertificateParsingException e) {
            return Optional.empty();
        }
        return found.size() == 1 ? valid(found.get(0)) : Optional.empty();
    }

    private static Optional<String> valid(String name) {
        return name.isEmpty() || name.length() > MAX_CHARS || name.indexOf('\0') >= 0
                ? Optional.empty()
                : Optional.of(name);
    }
}
