package io.muster.edge.page;

import io.muster.contract.problem.Problem;
import io.muster.contract.problem.Violation;
import io.muster.edge.problem.ProblemException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;

/**
 * The cursor of a list: the last key of the page before, base64url, so that nobody builds one by hand. It is not
 * signed: the key only says where to go on, and the query still scopes by tenant.
 */
public record PageToken(String lastKey) {

    private static final int MAX_LENGTH = 512;

    public String encoded() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(lastKey.getBytes(StandardCharsets.UTF_8));
    }

    /** Refuses with 400 what {@link #encoded()} did not make. */
    public static PageToken decode(String token) {
        try {
            if (token.isEmpty() || token.length() > MAX_LENGTH) {
                throw new IllegalArgumentException("length " + token.length());
            }
            ByteBuffer bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(token));
            PageToken decoded = new PageToken(
                    StandardCharsets.UTF_8.newDecoder().decode(bytes).toString());
            if (!decoded.encoded().equals(token) || decoded.lastKey.indexOf('\0') >= 0) {
                throw new IllegalArgumentException("not canonical");
            }
            return decoded;
        } catch (IllegalArgumentException | CharacterCodingException e) {
            throw new ProblemException(Problem.of(
                            400,
                            "INVALID_PAGE_TOKEN",
                            "The page token is not one of ours",
                            "pageToken is not a token that this list has answered.",
                            "Use nextPageToken of the page before as it is, or leave pageToken out to begin at the first page.")
                    .with(List.of(
                            new Violation("/pageToken", "unknown page token", shortened(token), "nextPageToken"))));
        }
    }

    private static String shortened(String token) {
        return token.length() <= 200 ? token : token.substring(0, 200);
    }
}
