package io.godwit.broker.auth.password;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The users: UTF-8 text with a line {@code user:credential} each, in the format of {@code mosquitto_passwd}. Empty
 * lines and lines that begin with '#' are comments and survive an edit. Immutable.
 */
public final class PasswordFile {
    static final PasswordFile EMPTY = new PasswordFile(List.of(), Map.of());

    /** All lines of the text. */
    private final List<String> lines;
    /** In the order of the file. */
    private final Map<String, Credential> users;

    private PasswordFile(List<String> lines, Map<String, Credential> users) {
        this.lines = List.copyOf(lines);
        this.users = Collections.unmodifiableMap(users);
    }

    public static PasswordFile read(Path file) throws AuthFileException {
        List<String> lines;
        try {
            lines = Files.readAllLines(file, StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new AuthFileException(file, e);
        }
        return parse(file, lines);
    }

    /** @param file for messages */
    public static PasswordFile parse(Path file, List<String> lines) throws AuthFileException {
        Map<String, Credential> users = new LinkedHashMap<>();
        List<String> errors = new ArrayList<>();
        for (int i = 0; i < lines.size(); i++) {
            String line = lines.get(i);
            if (isComment(line)) {
                continue;
            }
            int colon = line.indexOf(':');
            try {
                if (colon < 0) {
                    throw new IllegalArgumentException("must be user:credential");
                }
                String user = line.substring(0, colon);
                checkUser(user);
                if (users.put(user, Credential.parse(line.substring(colon + 1).strip())) != null) {
                    throw new IllegalArgumentException("the user " + user + " is there twice");
                }
            } catch (IllegalArgumentException e) {
                errors.add("line " + (i + 1) + ": " + e.getMessage());
            }
        }
        if (!errors.isEmpty()) {
            throw new AuthFileException(file, errors);
        }
        return new PasswordFile(lines, users);
    }

    private static boolean isComment(String line) {
        return line.isBlank() || line.startsWith("#");
    }

    /** @throws IllegalArgumentException if a line cannot contain this user name */
    public static void checkUser(String user) {
        if (user.isEmpty()) {
            throw new IllegalArgumentException("the user name is empty");
        }
        if (user.indexOf(':') >= 0 || user.startsWith("#") || !user.equals(user.strip())) {
            throw new IllegalArgumentException(
                    "a user name has no ':', begins with no '#', and has no space at either end");
        }
        if (user.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException("a user name has no control characters");
        }
    }

    /** Unmodifiable. */
    public Map<String, Credential> users() {
        return users;
    }

    @Nullable
    public Credential get(String user) {
        return users.get(user);
    }

    public boolean contains(String user) {
        return users.containsKey(user);
    }

    /** A copy with this user, in place of its earlier line or else at the end. */
    public PasswordFile with(String user, Credential credential) {
        checkUser(user);
        String line = user + ":" + credential.text();
        List<String> edited = new ArrayList<>(lines);
        edited.replaceAll(old -> isOf(user, old) ? line : old);
        if (!contains(user)) {
            edited.add(line);
        }
        Map<String, Credential> all = new LinkedHashMap<>(users);
        all.put(user, credential);
        return new PasswordFile(edited, all);
    }

    public PasswordFile without(String user) {
        List<String> edited = new ArrayList<>(lines);
        edited.removeIf(line -> isOf(user, line));
        Map<String, Credential> rest = new LinkedHashMap<>(users);
        rest.remove(user);
        return new PasswordFile(edited, rest);
    }

    private static boolean isOf(String user, String line) {
        return !isComment(line) && line.startsWith(user + ":");
    }

    /** The whole file. */
    String text() {
        StringBuilder text = new StringBuilder();
        lines.forEach(line -> text.append(line).append('\n'));
        return text.toString();
    }

    /** Without the credentials. */
    @Override
    public String toString() {
        return "PasswordFile[users=" + users.size() + "]";
    }
}
