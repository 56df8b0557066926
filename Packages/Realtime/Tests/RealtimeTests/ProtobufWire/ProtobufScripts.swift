/// The contract, and the Python that compares this codec with protobuf's own.
enum ProtobufScripts {
  /// The messages of the realtime contract, as the server's owners have them.
  static let contract = #"""
    syntax = "proto3";

    package skyconnect.realtime.v1;

    message SubscribeRequest {
      string group_id = 1;
      uint64 after_sequence = 2;
    }

    message SendRequest {
      string group_id = 1;
      string client_message_id = 2;
      string body = 3;
    }

    message Message {
      string id = 1;
      string group_id = 2;
      string sender_id = 3;
      string client_message_id = 4;
      string body = 5;
      uint64 sequence = 6;
      int64 sent_at_ms = 7;
    }

    message Typing {
      string group_id = 1;
      string user_id = 2;
    }

    message SessionRevoked {
      string reason = 1;
    }

    message Event {
      oneof event {
        Message message = 1;
        Typing typing = 2;
        SessionRevoked session_revoked = 3;
      }
    }

    message ClientFrame {
      oneof frame {
        SubscribeRequest subscribe = 1;
        SendRequest send = 2;
        Typing typing = 3;
      }
    }
    """#

  /// Reads `cases` in the directory, each a name, an encoding and what this codec made of it ("!"
  /// where it refused, "!tag" where it refused a tag that protobuf may pass over); prints each difference, and how many there were to compare.
  static let comparison = #"""
    import os
    import sys

    from google.protobuf.message import DecodeError
    from grpc_tools import protoc

    directory = sys.argv[1]
    assert protoc.main(["", "-I", directory, "--python_out", directory,
                        os.path.join(directory, "realtime.proto")]) == 0
    sys.path.insert(0, directory)
    import realtime_pb2


    def parse(name, text):
        message = getattr(realtime_pb2, name)()
        try:
            message.ParseFromString(bytes.fromhex("" if text == "-" else text))
        except DecodeError:
            return None
        return message


    count = 0
    for line in open(os.path.join(directory, "cases")):
        name, encoded, recoded = line.split()
        count += 1
        theirs = parse(name, encoded)
        ours = None if recoded[0] == "!" else parse(name, recoded)
        if theirs is None or ours is None:
            if recoded == "!tag":
                continue
            if theirs is not None or recoded != "!":
                print("taken by one only:", "ours" if theirs is None else "theirs", line, end="")
        elif (theirs != ours or theirs.SerializeToString(deterministic=True)
              != ours.SerializeToString(deterministic=True)):
            print("different:", line, end="")
    print(count, "compared")
    """#
}
