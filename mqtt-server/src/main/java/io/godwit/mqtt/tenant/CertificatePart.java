package io.godwit.mqtt.tenant;

import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import javax.naming.InvalidNameException;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/** The part of a client's certificate that contains its tenant. */
public enum CertificatePart {
    SUBJECT_CN("cn", -1),
    SUBJECT_O("o", -1),
    SUBJECT_OU("ou", -1),
    SAN_EMAIL(null, 1),
    SAN_DNS(null, 2),
    SAN_URI(null, 6);

    /** Attribute of the subject; null for a subject alternative name. */
    private final @Nullable String attribute;
    /** Type of the subject alternative name, by its number in RFC 5280. */
    private final int type;

    CertificatePart(@Nullable String attribute, int type) {
        this.attribute = attribute;
        this.type = type;
    }

    /**
     * All different values in this part of a certificate.
     *
     * @throws IllegalArgumentException when it cannot be read
     */
    Set<String> of(X509Certificate certificate) {
        try {
            return attribute == null
                    ? alternatives(certificate.getSubjectAlternativeNames())
                    : subject(certificate.getSubjectX500Principal(), attribute);
        } catch (CertificateParsingException e) {
            throw new IllegalArgumentException("the certificate cannot be read", e);
        } catch (NamingException e) {
            throw new IllegalArgumentException("the subject of the certificate cannot be read", e);
        }
    }

    private static Set<String> subject(X500Principal subject, String attribute) throws NamingException {
        Set<String> found = new TreeSet<>();
        for (Rdn part : nameOf(subject).getRdns()) {
            Attribute values = part.toAttributes().get(attribute);
            for (int i = 0; values != null && i < values.size(); i++) {
                if (values.get(i) instanceof String text) {
                    found.add(text);
                }
            }
        }
        return found;
    }

    private static LdapName nameOf(X500Principal subject) throws InvalidNameException {
        return new LdapName(subject.getName(X500Principal.RFC2253));
    }

    private Set<String> alternatives(@Nullable Collection<List<?>> names) {
        Set<String> found = new TreeSet<>();
        if (names != null) {
            for (List<?> name : names) {
                if (name.get(0).equals(type) && name.get(1) instanceof String text) {
                    found.add(text);
                }
            }
        }
        return found;
    }
}
