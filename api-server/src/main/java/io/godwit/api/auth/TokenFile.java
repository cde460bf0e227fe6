package io.godwit.api.auth;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import javax.security.auth.x500.X500Principal;
import org.jspecify.annotations.Nullable;

/**
 * The file of the callers that may use the API. Immutable. One entry a line; {@code #} begins a comment:
 *
 * <pre>
 * NAME:ROLE:TENANT:sha256:HASH      a token, by the SHA-256 of its text in hexadecimal
 * NAME:ROLE:TENANT:subject:SUBJECT  a client certificate, by its subject, such as CN=ops,O=birds
 * </pre>
 *
 * TENANT is empty for all tenants and the cluster.
 */
public final class TokenFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_ENTRIES = 1_000;
    private static final int FIELDS = 5;
    private static final int HASH_BYTES = 32;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final Pattern TENANT = Pattern.compile("[A-Za-z0-9._-]{0,64}");

    private static final String HEADING = "# Who may use the HTTP API. docs/api.md tells more.";

    /** All lines of the file, including comments. */
    private final List<String> lines;

    private final List<Entry> entries;
    private final Known known;

    /** How a caller proves that an entry is its own. */
    public enum Proof {
        /** The hash of a token. */
        SHA256,
        /** The subject of a certificate issued by {@code tls.clientCa}. */
        SUBJECT;

        private String spelled() {
            return this == SHA256 ? "sha256" : "subject";
        }
    }

    /**
     * A line.
     *
     * @param tenant empty for all
     * @param value the hash in hexadecimal, or the subject
     */
    public record Entry(String name, Role role, String tenant, Proof proof, String value) {
        /** @throws IllegalArgumentException with the error, but without the hash */
        public Entry {
            if (!NAME.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "the name must have 1 to 64 letters, digits, dots, hyphens or underscores");
            }
            if (!TENANT.matcher(tenant).matches()) {
                throw new IllegalArgumentException(
                        "the tenant must have at most 64 letters, digits, dots, hyphens or underscores");
            }
            if (proof == Proof.SHA256) {
                checkHash(value);
            } else {
                new X500Principal(value); // throws if it is not a valid name
                if (value.isBlank() || value.indexOf('\n') >= 0) {
                    throw new IllegalArgumentException("the subject must be a name such as CN=ops,O=birds");
                }
            }
        }

        private static void checkHash(String value) {
            boolean isHash;
            try {
                isHash = HexFormat.of().parseHex(value).length == HASH_BYTES;
            } catch (IllegalArgumentException e) {
                isHash = false;
            }
            if (!isHash) {
                throw new IllegalArgumentException("sha256 must have 64 hexadecimal digits");
            }
        }

        /** The entry of a new token. */
        public static Entry ofToken(String name, Role role, String tenant, String token) {
            return new Entry(name, role, tenant, Proof.SHA256, HexFormat.of().formatHex(TokenText.hash(token)));
        }

        private byte[] hash() {
            return HexFormat.of().parseHex(value);
        }

        private Principal principal() {
            return new Principal(
                    name,
                    role,
                    tenant.isEmpty() ? Optional.empty() : Optional.of(tenant),
                    proof == Proof.SHA256 ? Principal.Kind.TOKEN : Principal.Kind.CERTIFICATE,
                    TokenText.source("file", proof == Proof.SHA256 ? value : TokenText.hex(value)));
        }

        private String line() {
            return String.join(":", name, role.spelled(), tenant, proof.spelled(), value);
        }

        /** Without the hash. */
        @Override
        public String toString() {
            return "Entry[" + name + ", " + role + ", tenant=" + tenant + ", " + proof + "]";
        }
    }

    /** The entries with their lookup keys. Filled by one thread, then only read. */
    private static final class Known {
        private final Set<String> names = new HashSet<>();
        private final Map<X500Principal, Principal> bySubject = new HashMap<>();
        /** The tokens with their hashes; {@code hashes} has the same hashes in hexadecimal. */
        private final List<Token> tokens = new ArrayList<>();

        private final Set<String> hashes = new HashSet<>();

        @SuppressWarnings("ArrayRecordComponent") // never compared as a record or changed
        private record Token(byte[] hash, Principal owner) {}

        static Known of(List<Entry> entries) {
            Known known = new Known();
            entries.forEach(known::add);
            return known;
        }

        /** Refuses a second entry for one token or certificate, which would give it two roles. */
        void add(Entry entry) {
            if (names.size() == MAX_ENTRIES) {
                throw new IllegalArgumentException("there are more than " + MAX_ENTRIES + " entries");
            }
            if (!names.add(entry.name())) {
                throw new IllegalArgumentException("the name " + entry.name() + " is there already");
            }
            boolean isNew;
            if (entry.proof() == Proof.SUBJECT) {
                isNew = bySubject.putIfAbsent(new X500Principal(entry.value()), entry.principal()) == null;
            } else {
                byte[] hash = entry.hash();
                isNew = hashes.add(HexFormat.of().formatHex(hash));
                tokens.add(new Token(hash, entry.principal()));
            }
            if (!isNew) {
                throw new IllegalArgumentException("the token or subject of " + entry.name() + " is there already");
            }
        }
    }

    private TokenFile(List<String> lines, List<Entry> entries, Known known) {
        this.lines = List.copyOf(lines);
        this.entries = List.copyOf(entries);
        this.known = known;
    }

    /**
     * As {@link #read}, for the broker.
     *
     * @throws IOException also when others than root and the user of this process may change the file
     */
    public static TokenFile readOwn(Path file) throws IOException {
        TokenFile read = read(file);
        try {
            FileOwner.require(file);
        } catch (IOException e) {
            throw new IOException("the tokens file cannot be used: " + e.getMessage(), e);
        }
        return read;
    }

    /** @throws IOException naming the file and any wrong line, without its hash */
    public static TokenFile read(Path file) throws IOException {
        byte[] bytes;
        try (InputStream in = Files.newInputStream(file)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException e) {
            throw new IOException("the tokens file " + file + " cannot be read: " + e, e);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IOException("the tokens file " + file + " has more than " + MAX_BYTES + " bytes");
        }
        try {
            return parse(new String(bytes, StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            throw new IOException("the tokens file " + file + ", " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException naming the line */
    public static TokenFile parse(String text) {
        List<Entry> entries = new ArrayList<>();
        Known known = new Known();
        int number = 0;
        List<String> lines = text.lines().toList();
        for (String line : lines) {
            number++;
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            try {
                Entry entry = entry(line);
                known.add(entry);
                entries.add(entry);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("line " + number + ": " + e.getMessage(), e);
            }
        }
        return new TokenFile(lines, entries, known);
    }

    private static Entry entry(String line) {
        String[] fields = line.split(":", FIELDS);
        if (fields.length < FIELDS) {
            throw new IllegalArgumentException("must be NAME:ROLE:TENANT:sha256:HASH or NAME:ROLE:TENANT:subject:NAME");
        }
        Role role = Role.parse(fields[1])
                .orElseThrow(() -> new IllegalArgumentException("the role must be viewer, operator or admin"));
        for (Proof proof : Proof.values()) {
            if (proof.spelled().equals(fields[3])) {
                return new Entry(fields[0], role, fields[2], proof, fields[4]);
            }
        }
        throw new IllegalArgumentException("the fourth field must be sha256 or subject");
    }

    public List<Entry> entries() {
        return entries;
    }

    /** @throws IllegalArgumentException when the name, token or subject exists already, or the file is full */
    public TokenFile with(Entry entry) {
        List<Entry> more = new ArrayList<>(entries);
        more.add(entry);
        Known all = Known.of(more);
        List<String> text = new ArrayList<>(lines.isEmpty() ? List.of(HEADING) : lines);
        text.add(entry.line());
        return new TokenFile(text, more, all);
    }

    /** Empty when no entry has that name. Comments stay. */
    public Optional<TokenFile> without(String name) {
        List<Entry> fewer =
                entries.stream().filter(entry -> !entry.name().equals(name)).toList();
        List<String> text =
                lines.stream().filter(line -> !line.startsWith(name + ":")).toList();
        return fewer.size() == entries.size()
                ? Optional.empty()
                : Optional.of(new TokenFile(text, fewer, Known.of(fewer)));
    }

    /** The whole file, as {@link #parse} reads it. */
    public String text() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** The owner of a token; null when it is unknown. Takes the same time for every token. */
    public @Nullable Principal ofToken(String token) {
        byte[] hash = TokenText.hash(token);
        Principal found = null;
        for (Known.Token each : known.tokens) {
            if (MessageDigest.isEqual(hash, each.hash())) {
                found = each.owner();
            }
        }
        return found;
    }

    /** The owner of a certificate; null when it is unknown. */
    public @Nullable Principal ofSubject(X500Principal subject) {
        return known.bySubject.get(subject);
    }
}
